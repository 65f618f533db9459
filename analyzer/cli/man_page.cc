// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/man_page.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace dltap::analyzer {
namespace {

constexpr const char* kExitStatus[][2] = {
    {"0", "all is well."},
    {"1", "the answer is no: a trace is damaged, a limit is crossed."},
    {"2", "the command line is wrong."},
    {"3", "a file cannot be read, or holds no trace, or cannot be written."},
    {"4", "the trace is of a newer version of dltap."},
    {"5", "an optional library is not there."},
    {"125, 126, 127",
     "of dltap run: dltap itself failed; the program cannot be executed; it "
     "was not found. Else dltap run ends with the program's code, 128 + N "
     "where signal N ended it."},
};

// Text of a line: no line of it is taken for a request.
std::string Escaped(const std::string& text) {
  std::string out = absl::StrReplaceAll(
      text, {{"\\", "\\e"}, {"-", "\\-"}, {"'", "\\(aq"}, {"\n", " "}});
  return out.starts_with(".") ? "\\&" + out : out;
}

std::string Bold(const std::string& text) {
  return absl::StrCat("\\fB", Escaped(text), "\\fR");
}

std::string Italic(const std::string& text) {
  return absl::StrCat("\\fI", Escaped(text), "\\fR");
}

std::string Section(const std::string& name) {
  return absl::StrCat(".SH ", name, "\n");
}

// Lines as they are.
std::string Verbatim(const std::string& text) {
  std::string out = ".PP\n.nf\n";
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(text, '\n'))) {
    absl::StrAppend(&out, Escaped(line), "\n");
  }
  return out + ".fi\n";
}

std::string Head(const std::string& name, const std::string& synopsis) {
  return absl::StrCat(".\\\" Made by dltap help; do not edit.\n.TH \"",
                      absl::AsciiStrToUpper(name), "\" 1 \"\" \"dltap ",
                      DLTAP_VERSION, "\" \"dltap\"\n", Section("NAME"),
                      Escaped(name), " \\- ", Escaped(synopsis), "\n");
}

std::string SynopsisLine(const CommandPage& page) {
  for (const std::string& footer : page.footers) {
    if (footer.starts_with("dltap ")) return Escaped(footer) + "\n";
  }
  std::string line = absl::StrCat(Bold("dltap " + page.name), " [OPTIONS]");
  for (const OptionRow& row : page.options) {
    if (!row.is_positional) continue;
    const std::string name =
        Italic(row.names[0]) + (row.may_repeat ? "..." : "");
    absl::StrAppend(&line, " ", row.is_required ? name : "[" + name + "]");
  }
  return line + "\n";
}

std::string OptionText(const OptionRow& row) {
  const std::string names =
      row.is_positional ? Italic(row.names[0])
                        : absl::StrJoin(row.names, ", ",
                                        [](std::string* out, const auto& name) {
                                          out->append(Bold(name));
                                        });
  return absl::StrCat(
      ".TP\n", names,
      row.takes_value && !row.is_positional ? " \\fIVALUE\\fR" : "", "\n",
      Escaped(row.text), "\n",
      row.choices.empty() || row.text.find(row.choices[0]) != std::string::npos
          ? ""
          : absl::StrCat(".br\n", Escaped(absl::StrJoin(row.choices, ", ")),
                         "\n"));
}

}  // namespace

std::string ManPage(const CommandPage& page) {
  std::string text = absl::StrCat(Head("dltap-" + page.name, page.synopsis),
                                  Section("SYNOPSIS"), SynopsisLine(page),
                                  Section("DESCRIPTION"));
  absl::StrAppend(&text, absl::StrJoin(page.descriptions, "\n.PP\n",
                                       [](std::string* out, const auto& line) {
                                         out->append(Escaped(line));
                                       }));
  absl::StrAppend(&text, "\n", Section("OPTIONS"));
  for (const OptionRow& row : page.options) text += OptionText(row);
  if (!page.examples.empty()) {
    absl::StrAppend(&text, Section("EXAMPLES"),
                    Verbatim(absl::StrJoin(page.examples, "\n")));
  }
  for (const std::string& footer : page.footers) {
    if (footer.starts_with("dltap ")) continue;
    absl::StrAppend(&text, Section("NOTES"), Verbatim(footer));
  }
  return absl::StrCat(text, Section("SEE ALSO"), "\\fBdltap\\fR(1)\n");
}

std::string OverviewManPage(const std::vector<CommandPage>& pages) {
  std::string text = absl::StrCat(
      Head("dltap", "where the GPU time of a deep-learning program goes"),
      Section("SYNOPSIS"), "\\fBdltap\\fR \\fICOMMAND\\fR [OPTIONS]\n",
      Section("DESCRIPTION"),
      "Records the cuDNN, cuBLAS, CUDA and NCCL calls of an unmodified program "
      "and the kernels that they start, and reports GPU time, idle time and "
      "its causes by kind of layer.\n",
      Section("COMMANDS"));
  for (const CommandPage& page : pages) {
    absl::StrAppend(&text, ".TP\n\\fBdltap\\-", page.name, "\\fR(1)\n",
                    Escaped(page.synopsis), "\n");
  }
  absl::StrAppend(&text, Section("EXIT STATUS"));
  for (const auto& [code, meaning] : kExitStatus) {
    absl::StrAppend(&text, ".TP\n\\fB", code, "\\fR\n", Escaped(meaning), "\n");
  }
  return absl::StrCat(text, Section("ENVIRONMENT"),
                      "The variables that libdltap.so reads are listed in the "
                      "README that is installed with this program.\n");
}

}  // namespace dltap::analyzer
