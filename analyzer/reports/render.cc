// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/render.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analyzer/output/utf8.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kMinFirstColumn = 12;
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

std::vector<size_t> Widths(const Table& table,
                           const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(table.columns.size());
  for (size_t c = 0; c < widths.size(); ++c) {
    for (const std::string& line : table.columns[c].header) {
      widths[c] = std::max(widths[c], DisplayWidth(line));
    }
    for (const auto& row : rows) {
      widths[c] = std::max(widths[c], DisplayWidth(row[c]));
    }
  }
  size_t others = 0;
  for (size_t c = 1; c < widths.size(); ++c) others += widths[c] + 2;
  if (!widths.empty() && widths[0] + others > kPageWidth) {
    widths[0] = others + kMinFirstColumn > kPageWidth ? kMinFirstColumn
                                                      : kPageWidth - others;
  }
  return widths;
}

std::string Line(const Table& table, const std::vector<std::string>& cells,
                 const std::vector<size_t>& widths) {
  std::string line;
  for (size_t c = 0; c < cells.size(); ++c) {
    if (c > 0) line += "  ";
    const bool right = c > 0 && table.columns[c].right;
    const std::string text = c == 0 ? Shorten(cells[c], widths[c]) : cells[c];
    line += Pad(text, widths[c], right);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

}  // namespace

std::string CellText(const Cell& cell) { return TextOf(cell); }

std::string RenderText(const Table& table) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& cells : table.rows) {
    auto& row = rows.emplace_back();
    for (const Cell& cell : cells) row.push_back(TextOf(cell));
  }
  const std::vector<size_t> widths = Widths(table, rows);
  size_t header_lines = 0;
  for (const Column& column : table.columns) {
    header_lines = std::max(header_lines, column.header.size());
  }
  std::string text;
  for (size_t i = 0; i < header_lines; ++i) {
    std::vector<std::string> cells;
    for (const Column& column : table.columns) {
      const size_t skip = header_lines - column.header.size();
      cells.push_back(i < skip ? "" : column.header[i - skip]);
    }
    text += Line(table, cells, widths);
  }
  for (const auto& row : rows) text += Line(table, row, widths);
  return text;
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

size_t DisplayWidth(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](unsigned char c) {
    return (c & 0xC0) != 0x80;  // not a continuation byte
  });
}

size_t ByteOfColumn(std::string_view text, size_t column) {
  size_t at = 0;
  while (at < text.size()) {
    const bool starts = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (starts && column-- == 0) break;
    ++at;
  }
  return at;
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
