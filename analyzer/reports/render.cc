// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/render.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>

#include "analyzer/output/utf8.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kGap = 2;  // columns between two of the table
constexpr size_t kMinFirstColumn = 12;
constexpr size_t kLeastBar = 8;  // columns; shorter ones say nothing
constexpr size_t kMostBar = 24;
constexpr double kHeadShare = 0.6667;  // of a shortened text

template <typename... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>  // clang 16 does not find it by itself
Overloaded(Visitors...) -> Overloaded<Visitors...>;

// What a terminal obeys instead of printing it: C0 and C1 controls, line and
// paragraph separators, changes of direction.
bool IsControl(std::string_view character) {
  if (character.size() == 1) return character[0] < ' ' || character[0] == 0x7F;
  const bool is_c1 = character >= "\u0080" && character < "\u00A0";
  const bool is_layout = (character >= "\u2028" && character <= "\u202E") ||
                         (character >= "\u2066" && character <= "\u2069");
  return is_c1 || is_layout;
}

std::string TextOf(const Cell& cell) {
  return std::visit(
      Overloaded{[](const Blank&) { return std::string(); },
                 [](const Unknown&) { return std::string("?"); },
                 [](const std::string& text) { return Printable(text); },
                 [](const Bar&) { return std::string(); },
                 [](int64_t value) { return WithThousands(value); },
                 [](const Number& n) { return Fixed(n.value, n.decimals); }},
      cell);
}

std::string CsvOf(const Cell& cell) {
  return std::visit(
      Overloaded{[](const Blank&) { return std::string(); },
                 [](const Unknown&) { return std::string(); },
                 [](const std::string& text) {
                   const bool formula =
                       !text.empty() &&
                       std::string_view("=+-@\t\r").find(text[0]) !=
                           std::string_view::npos;
                   std::string quoted = formula ? "\"'" : "\"";
                   for (const char c : Printable(text)) {
                     quoted += c;
                     if (c == '"') quoted += '"';
                   }
                   return quoted + '"';
                 },
                 [](const Bar&) { return std::string(); },
                 [](int64_t value) { return std::to_string(value); },
                 [](const Number& n) {
                   if (!std::isfinite(n.value)) return std::string();
                   char text[64];
                   // Fewer digits than a double has: 2.6855, and not
                   // 2.6854999999999998.
                   std::snprintf(text, sizeof text, "%.15g", n.value);
                   return std::string(text);
                 }},
      cell);
}

using Texts = std::vector<std::vector<std::string>>;

std::string Pad(const std::string& text, size_t width, bool right) {
  const std::string fill(width - std::min(width, DisplayWidth(text)), ' ');
  return right ? fill + text : text + fill;
}

// Keeps both ends, which tell kernels apart best.
std::string Shorten(const std::string& text, size_t width) {
  const size_t has = DisplayWidth(text);
  if (has <= width || width < 8) return text;
  const auto head =
      static_cast<size_t>(static_cast<double>(width - 3) * kHeadShare);
  const size_t tail = width - 3 - head;
  return text.substr(0, ByteOfColumn(text, head)) + "..." +
         text.substr(ByteOfColumn(text, has - tail));
}

// Of columns with what parts each from the one before; empty ones take none.
size_t WidthOf(std::span<const size_t> widths) {
  size_t sum = 0;
  for (const size_t width : widths) sum += width == 0 ? 0 : width + kGap;
  return sum;
}

std::vector<size_t> WidestOf(const Table& table, const Texts& rows) {
  std::vector<size_t> widths(table.columns.size());
  for (size_t c = 0; c < widths.size(); ++c) {
    for (const std::string& line : table.columns[c].header) {
      widths[c] = std::max(widths[c], DisplayWidth(line));
    }
    for (const auto& row : rows) {
      widths[c] = std::max(widths[c], DisplayWidth(row[c]));
    }
  }
  return widths;
}

// The first column has what the others leave.
void FitFirst(std::vector<size_t>& widths) {
  if (widths.empty()) return;
  const size_t others = WidthOf(std::span(widths).subspan(1));
  if (widths[0] + others <= PageWidth()) return;
  widths[0] = others + kMinFirstColumn > PageWidth() ? kMinFirstColumn
                                                     : PageWidth() - others;
}

// Fills bars in where the page has room beside the other columns.
void DrawBars(const Table& table, Texts& rows, std::vector<size_t>& widths) {
  const size_t taken = WidthOf(widths);
  if (!ThePage().has_bars || taken + kLeastBar > PageWidth()) return;
  const size_t columns = std::min(kMostBar, PageWidth() - taken);
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t c = 0; c < rows[r].size(); ++c) {
      const Bar* bar = std::get_if<Bar>(&table.rows[r][c]);
      if (bar == nullptr) continue;
      rows[r][c] = BarText(bar->share, columns);
      widths[c] = columns;
    }
  }
}

Texts TextsOf(const Table& table) {
  Texts rows;
  for (const auto& cells : table.rows) {
    auto& row = rows.emplace_back();
    for (const Cell& cell : cells) row.push_back(TextOf(cell));
  }
  return rows;
}

std::string Line(const Table& table, const std::vector<std::string>& cells,
                 const std::vector<size_t>& widths) {
  std::string line;
  for (size_t c = 0; c < cells.size(); ++c) {
    if (widths[c] == 0) continue;
    if (c > 0) line += std::string(kGap, ' ');
    const bool right = c > 0 && table.columns[c].right;
    const std::string text = c == 0 ? Shorten(cells[c], widths[c]) : cells[c];
    line += Pad(text, widths[c], right);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string HeaderText(const Table& table, const std::vector<size_t>& widths) {
  size_t lines = 0;
  for (const Column& column : table.columns) {
    lines = std::max(lines, column.header.size());
  }
  std::string text;
  for (size_t i = 0; i < lines; ++i) {
    std::vector<std::string> cells;
    for (const Column& column : table.columns) {
      const size_t skip = lines - column.header.size();
      cells.push_back(i < skip ? "" : column.header[i - skip]);
    }
    text += Line(table, cells, widths);
  }
  return text;
}

std::string RowsText(const Table& table, const Texts& rows,
                     const std::vector<size_t>& widths) {
  std::string text;
  for (const auto& row : rows) text += Line(table, row, widths);
  return text;
}

std::string GoneText(const std::vector<std::string>& columns) {
  std::string text;
  for (const std::string& name : columns) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text.empty() ? text : "(no room for " + text + ": --width)\n";
}

}  // namespace

std::string CellText(const Cell& cell) { return TextOf(cell); }

std::string RenderText(const Table& table) {
  Table page = table;
  Texts rows = TextsOf(page);
  std::vector<size_t> widths = WidestOf(page, rows);
  std::vector<std::string> gone;
  // The usual page has all, so that scripts find what they know.
  const bool is_narrow = PageWidth() < kUsualPageWidth;
  for (size_t c = page.columns.size(); is_narrow && c-- > 1;) {
    const bool fits = WidthOf(widths) <= PageWidth() + kGap;
    if (fits || !page.columns[c].may_go) continue;
    gone.insert(gone.begin(), page.columns[c].header.front());
    page.columns[c].header.clear();
    for (auto& cells : page.rows) cells[c] = Blank{};
    rows = TextsOf(page);
    widths = WidestOf(page, rows);
  }
  FitFirst(widths);
  DrawBars(page, rows, widths);
  return HeaderText(page, widths) + RowsText(page, rows, widths) +
         GoneText(gone);
}

std::string RenderCsv(const Table& table) {
  std::string text;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    text += (c > 0 ? "," : "") + table.columns[c].key;
  }
  text += '\n';
  for (const auto& row : table.rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      text += (c > 0 ? "," : "") + CsvOf(row[c]);
    }
    text += '\n';
  }
  return text;
}

std::string WithThousands(int64_t value) {
  std::string digits = std::to_string(std::abs(value));
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return value < 0 ? '-' + digits : digits;
}

std::string Fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "?";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, std::fabs(value));
  std::string digits(text);
  size_t point = digits.find('.');
  if (point == std::string::npos) point = digits.size();
  for (size_t at = point; at > 3;) digits.insert(at -= 3, ",");
  const bool zero = digits.find_first_not_of("0.,") == std::string::npos;
  return value < 0 && !zero ? '-' + digits : digits;
}

std::string Printable(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t length = CharacterLength(text, i);
    if (length > 0 && !IsControl(text.substr(i, length))) {
      out.append(text.substr(i, length));
      i += length;
    } else {
      out += "\uFFFD";
      ++i;
    }
  }
  return out;
}

}  // namespace dltap::analyzer
