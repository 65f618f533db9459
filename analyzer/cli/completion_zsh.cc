// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "analyzer/cli/completion.h"

namespace dltap::analyzer {
namespace {

// Inside '...[TEXT]:...' of _arguments.
std::string Escaped(const std::string& text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"},
                                    {"[", "\\["},
                                    {"]", "\\]"},
                                    {":", "\\:"},
                                    {"'", "'\\''"},
                                    {"\n", " "}});
}

std::string Values(const OptionRow& row) {
  if (row.choices.empty()) return "_files";
  return absl::StrCat("(", Escaped(absl::StrJoin(row.choices, " ")), ")");
}

// "-o+[text]:value:_files"; one line each for short and long names.
std::string OptionLines(const OptionRow& row) {
  std::string text;
  for (const std::string& name : row.names) {
    const bool is_long = name.starts_with("--");
    absl::StrAppend(&text, "        '", row.may_repeat ? "*" : "", name,
                    !row.takes_value ? ""
                    : is_long        ? "="
                                     : "+",
                    "[", Escaped(row.text), "]",
                    row.takes_value ? absl::StrCat(":value:", Values(row)) : "",
                    "' \\\n");
  }
  return text;
}

std::string PositionalLine(const OptionRow& row) {
  return absl::StrCat("        '", row.may_repeat ? "*" : "", ":", row.names[0],
                      ":", Values(row), "' \\\n");
}

std::string Case(const CommandPage& page) {
  std::string text =
      absl::StrCat("    ", page.name, ")\n      _arguments -s -S \\\n");
  for (const OptionRow& row : page.options) {
    text += row.is_positional ? PositionalLine(row) : OptionLines(row);
  }
  if (TakesProgram(page)) {
    text +=
        "        '(-)1:program:_command_names -e' '*::argument:_normal' \\\n";
  }
  text.resize(text.size() - 3);  // the last " \" and the end of its line
  return absl::StrCat(text, "\n      ;;\n");
}

}  // namespace

std::string ZshCompletion(const std::vector<CommandPage>& pages) {
  std::string text =
      "#compdef dltap\n"
      "# Completion of dltap in zsh; made by `dltap completion zsh`.\n\n"
      "_dltap() {\n"
      "  local -a commands=(\n";
  for (const CommandPage& page : pages) {
    absl::StrAppend(&text, "    '", page.name, ":", Escaped(page.synopsis),
                    "'\n");
  }
  absl::StrAppend(&text,
                  "  )\n"
                  "  if ((CURRENT == 2)); then\n"
                  "    _describe command commands\n"
                  "    return\n"
                  "  fi\n"
                  "  shift words\n"
                  "  ((CURRENT--))\n"
                  "  case $words[1] in\n");
  for (const CommandPage& page : pages) text += Case(page);
  // As a file in fpath it is the function's body, else a script.
  return absl::StrCat(text,
                      "  esac\n"
                      "}\n\n"
                      "if [[ $funcstack[1] == _dltap ]]; then\n"
                      "  _dltap \"$@\"\n"
                      "else\n"
                      "  compdef _dltap dltap\n"
                      "fi\n");
}

}  // namespace dltap::analyzer
