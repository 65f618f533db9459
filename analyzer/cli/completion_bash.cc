// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/cli/completion.h"

namespace dltap::analyzer {
namespace {

// `cur` and `prev` are cut from the line by hand: bash breaks words at colons
// and equal signs, too, and "sim:h100-sxm" is one.
constexpr const char* kWords = R"sh(
_dltap() {
  local line=${COMP_LINE:0:COMP_POINT}
  local words cur prev i choices
  read -ra words <<<"$line"
  cur=${line##*[[:space:]]}
  [[ -z $cur ]] || unset 'words[-1]'
  COMPREPLY=()
  if ((${#words[@]} < 2)); then
    COMPREPLY=($(compgen -W "$(_dltap_commands)" -- "$cur"))
    return
  fi
  prev=${words[-1]}
  local command=${words[1]}
  for ((i = 2; i < ${#words[@]}; ++i)); do
    case $command:${words[i]} in
      run:-- | doctor:--) _dltap_program "$i" "${#words[@]}"; return ;;
      *:-*) [[ -z $(_dltap_values "$command" "${words[i]}") ]] || ((++i)) ;;
      run:*) _dltap_program "$((i - 1))" "${#words[@]}"; return ;;
    esac
  done
  if [[ $cur == --*=* ]]; then
    prev=${cur%%=*}
    cur=${cur#*=}
  fi
  choices=$(_dltap_values "$command" "$prev")
  if [[ -z $choices && $cur == -* ]]; then
    choices=$(_dltap_options "$command")
  elif [[ -z $choices ]]; then
    choices=$(_dltap_values "$command" positional)
  fi
  if [[ $choices == files || -z $choices ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
    return
  fi
  COMPREPLY=($(compgen -W "$choices" -- "$cur"))
  # Bash replaces only what follows the last colon.
  if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${cur%"${cur##*:}"}"}")
  fi
}

# The program's own words, which begin behind word $1 of $2.
_dltap_program() {
  compopt -o default -o bashdefault 2>/dev/null
  (($2 > $1 + 1)) || COMPREPLY=($(compgen -c -- "$cur"))
}

complete -F _dltap dltap
)sh";

std::string Pattern(const CommandPage& page, const OptionRow& row) {
  if (row.is_positional) return absl::StrCat(page.name, ":positional");
  return absl::StrJoin(row.names, " | ",
                       [&page](std::string* out, const std::string& name) {
                         absl::StrAppend(out, page.name, ":", name);
                       });
}

std::string OptionCases(const CommandPage& page) {
  std::vector<std::string> names;
  for (const OptionRow& row : page.options) {
    if (row.is_positional) continue;
    names.insert(names.end(), row.names.begin(), row.names.end());
  }
  return absl::StrCat("    ", page.name, ") echo '", absl::StrJoin(names, " "),
                      "' ;;\n");
}

std::string ValueCases(const CommandPage& page) {
  std::string text;
  for (const OptionRow& row : page.options) {
    if (!row.takes_value) continue;
    absl::StrAppend(
        &text, "    ", Pattern(page, row), ") echo '",
        row.choices.empty() ? "files" : absl::StrJoin(row.choices, " "),
        "' ;;\n");
  }
  return text;
}

}  // namespace

std::string BashCompletion(const std::vector<CommandPage>& pages) {
  std::string text =
      "# Completion of dltap in bash; made by `dltap completion bash`.\n\n"
      "_dltap_commands() { echo '";
  absl::StrAppend(
      &text, absl::StrJoin(pages, " ", [](std::string* out, const auto& page) {
        out->append(page.name);
      }));
  absl::StrAppend(&text, "'; }\n\n_dltap_options() {\n  case $1 in\n");
  for (const CommandPage& page : pages) text += OptionCases(page);
  absl::StrAppend(&text,
                  "  esac\n}\n\n# What may follow an option; \"files\": any "
                  "text or a file.\n_dltap_values() {\n  case $1:$2 in\n");
  for (const CommandPage& page : pages) text += ValueCases(page);
  return absl::StrCat(text, "  esac\n}\n", kWords);
}

}  // namespace dltap::analyzer
