// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "analyzer/cli/completion.h"

namespace dltap::analyzer {
namespace {

constexpr std::string_view kHead =
    R"sh(# Completion of dltap in fish; made by `dltap completion fish`.

function __dltap_has_no_command
    test (count (commandline -opc)) -eq 1
end

# Where the program's words begin in `dltap run OPTIONS -- PROGRAM`; 0: nowhere.
function __dltap_program_at
    set -l words (commandline -opc)
    contains -- "$words[2]" run doctor; or echo 0 && return
    set -l i 3
    while test $i -le (count $words)
        switch $words[$i]
            case --
                math $i + 1
                return
            case '-*'
                contains -- $words[$i] $__dltap_with_value; and set i (math $i + 1)
            case '*'
                echo $i
                return
        end
        set i (math $i + 1)
    end
    echo 0
end

function __dltap_is
    set -l words (commandline -opc)
    test "$words[2]" = $argv[1]; and test (__dltap_program_at) -eq 0
end

function __dltap_has_program
    test (__dltap_program_at) -gt 0
end

)sh";

std::string Quoted(const std::string& text) {
  return absl::StrCat(
      "'",
      absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}, {"\n", " "}}),
      "'");
}

std::string Line(const CommandPage& page, const OptionRow& row) {
  std::string text =
      absl::StrCat("complete -c dltap -n '__dltap_is ", page.name, "'");
  for (const std::string& name : row.names) {
    if (row.is_positional) break;
    const bool is_long = name.starts_with("--");
    absl::StrAppend(&text, is_long ? " -l " : " -s ",
                    name.substr(is_long ? 2 : 1));
  }
  if (!row.choices.empty()) {
    absl::StrAppend(&text, " -x -a ", Quoted(absl::StrJoin(row.choices, " ")));
  } else if (row.is_positional) {
    absl::StrAppend(&text, " -F");
  } else if (row.takes_value) {
    absl::StrAppend(&text, " -r");
  }
  return absl::StrCat(text, row.is_positional ? "" : " -d " + Quoted(row.text),
                      "\n");
}

std::string NamesWithValue(const std::vector<CommandPage>& pages) {
  std::vector<std::string> names;
  for (const CommandPage& page : pages) {
    for (const OptionRow& row : page.options) {
      if (!TakesProgram(page) || row.is_positional || !row.takes_value)
        continue;
      names.insert(names.end(), row.names.begin(), row.names.end());
    }
  }
  return absl::StrJoin(names, " ");
}

}  // namespace

std::string FishCompletion(const std::vector<CommandPage>& pages) {
  std::string text(kHead);
  absl::StrAppend(&text, "set -g __dltap_with_value ", NamesWithValue(pages),
                  "\n\n");
  for (const CommandPage& page : pages) {
    absl::StrAppend(&text, "complete -c dltap -f -n __dltap_has_no_command -a ",
                    page.name, " -d ", Quoted(page.synopsis), "\n");
  }
  for (const CommandPage& page : pages) {
    text += "\n";
    for (const OptionRow& row : page.options) text += Line(page, row);
    if (TakesProgram(page)) {
      absl::StrAppend(&text, "complete -c dltap -n '__dltap_is ", page.name,
                      "' -x -a '(__fish_complete_subcommand --fcs-skip=2)'\n");
    }
  }
  return absl::StrCat(text,
                      "\ncomplete -c dltap -n __dltap_has_program -x -a "
                      "'(__fish_complete_subcommand "
                      "--fcs-skip=(math (__dltap_program_at) - 1))'\n");
}

}  // namespace dltap::analyzer
