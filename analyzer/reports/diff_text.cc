// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>

#include "analyzer/reports/diff_report.h"
#include "analyzer/reports/diff_sentence.h"
#include "analyzer/reports/diff_tables.h"
#include "analyzer/reports/render.h"

namespace dltap::analyzer {
namespace {

// One line each.
std::string Unlikes(const Difference& difference, const std::string& before,
                    std::string (*escaped)(std::string_view)) {
  std::string text;
  for (const Unlike& each : difference.unlike) {
    const bool bars = BarsOf(each.what) == Bars::kAll;
    text += before + (bars ? "not comparable: " : "differs: ") +
            escaped(UnlikeText(each)) + '\n';
  }
  return text;
}

std::string Same(std::string_view text) { return std::string(text); }

Table OneTable(const Difference& difference, const DiffOptions& options) {
  return options.by ? RowChangeTable(difference, *options.by, options.top)
                    : PartTable(difference, options.top);
}

// GitHub reads cells as Markdown and HTML.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : Printable(text)) {
    if (c == '<') {
      out += "&lt;";
      continue;
    }
    if (c == '&') {
      out += "&amp;";
      continue;
    }
    if (std::string_view("|\\`*_[]~>#@!").find(c) != std::string_view::npos) {
      out += '\\';
    }
    out += c;
  }
  return out;
}

std::string MarkdownTable(const Table& table) {
  std::string head = "|";
  std::string line = "|";
  for (const Column& column : table.columns) {
    head += " " + Escaped(column.header.back()) + " |";
    line += column.right ? " ---: |" : " --- |";
  }
  std::string text = head + '\n' + line + '\n';
  for (const std::vector<Cell>& row : table.rows) {
    text += '|';
    for (const Cell& cell : row) text += " " + Escaped(CellText(cell)) + " |";
    text += '\n';
  }
  return text;
}

std::string Folded(const std::string& title, const Table& table) {
  if (table.rows.empty()) return "";
  return "\n<details><summary>" + title + "</summary>\n\n" +
         MarkdownTable(table) + "\n</details>\n";
}

}  // namespace

std::string DiffText(const DiffReport& report, const DiffOptions& options) {
  const Difference& difference = *report.difference;
  std::string text = DiffSentence(difference) + '\n' +
                     Unlikes(difference, "", Same) + "\nbase  " +
                     SideText(report.base) + "\nnew   " + SideText(report.now) +
                     '\n';
  if (!report.judgements.empty()) {
    text += '\n' + RenderText(JudgementTable(report));
  }
  return text + '\n' + RenderText(QuantityChangeTable(difference)) + '\n' +
         RenderText(OneTable(difference, options));
}

std::string DiffMarkdown(const DiffReport& report, const DiffOptions& options) {
  const Difference& difference = *report.difference;
  std::string text = "**" + Escaped(DiffSentence(difference)) + "**\n\n";
  text += Unlikes(difference, "- ", Escaped) +
          "- base: " + Escaped(SideText(report.base)) +
          "\n- new: " + Escaped(SideText(report.now)) + "\n";
  if (!report.judgements.empty()) {
    text += '\n' + MarkdownTable(JudgementTable(report));
  }
  text += '\n' + MarkdownTable(QuantityChangeTable(difference)) + '\n' +
          MarkdownTable(OneTable(difference, options));
  for (const auto by : {DifferenceBy::kClass, DifferenceBy::kLayer,
                        DifferenceBy::kKernel, DifferenceBy::kApi}) {
    if (options.by == by) continue;
    text += Folded("by " + std::string(Name(by)),
                   RowChangeTable(difference, by, options.top));
  }
  return text;
}

}  // namespace dltap::analyzer
