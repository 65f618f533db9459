// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/page.h"

#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyzer/output/utf8.h"

namespace dltap::analyzer {
namespace {

Page g_page;

// Eighths of a full block, from none on.
constexpr std::string_view kEighths[] = {"",  "▏", "▎", "▍", "▌",
                                         "▋", "▊", "▉", "█"};
constexpr size_t kEighthsOfFull = 8;

constexpr std::pair<std::string_view, std::string_view> kAscii[] = {
    {"±", "+-"}, {"·", "|"}, {"×", "x"}, {"–", "-"}, {"—", "-"}, {"…", "..."},
    {"█", "#"},  {"▉", "#"}, {"▊", "#"}, {"▋", "#"}, {"▌", "#"}, {"▍", ""},
    {"▎", ""},   {"▏", ""},  {"▁", "_"}, {"▂", "."}, {"▃", "-"}, {"▄", "="},
    {"░", "."},  {"▒", ":"}, {"▓", "*"}, {"▅", "+"}, {"▆", "*"}, {"▇", "%"}};

// The code point of a whole character in UTF-8.
wchar_t CodePoint(std::string_view character) {
  constexpr unsigned char kFirstBits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  unsigned code =
      static_cast<unsigned char>(character[0]) & kFirstBits[character.size()];
  for (const char c : character.substr(1)) {
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3F);
  }
  return static_cast<wchar_t>(code);
}

// The C library's table, whatever the user's locale is.
size_t ColumnsOf(std::string_view character) {
  if (character.size() == 1) return 1;
  static const locale_t utf8 =
      newlocale(LC_CTYPE_MASK, "C.UTF-8", static_cast<locale_t>(nullptr));
  if (utf8 == static_cast<locale_t>(nullptr)) return 1;
  const locale_t before = uselocale(utf8);
  const int columns = wcwidth(CodePoint(character));
  uselocale(before);
  return columns < 0 ? 1 : static_cast<size_t>(columns);
}

// The character at `at`; a byte that is none stands for itself.
std::string_view CharacterAt(std::string_view text, size_t at) {
  return text.substr(at, std::max<size_t>(1, CharacterLength(text, at)));
}

}  // namespace

const Page& ThePage() { return g_page; }
void SetPage(const Page& page) { g_page = page; }

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  for (size_t at = 0; at < text.size();) {
    const std::string_view character = CharacterAt(text, at);
    width += ColumnsOf(character);
    at += character.size();
  }
  return width;
}

size_t ByteOfColumn(std::string_view text, size_t column) {
  size_t width = 0;
  size_t at = 0;
  while (at < text.size()) {
    const std::string_view character = CharacterAt(text, at);
    width += ColumnsOf(character);
    if (width > column) break;
    at += character.size();
  }
  return at;
}

std::string BarText(double share, size_t columns) {
  const double full = static_cast<double>(columns * kEighthsOfFull);
  auto eighths =
      static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * full));
  std::string bar;
  for (; eighths >= kEighthsOfFull; eighths -= kEighthsOfFull) {
    bar += kEighths[kEighthsOfFull];
  }
  return bar.append(kEighths[eighths]);
}

std::string AsAscii(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const std::string_view character = CharacterAt(text, at);
    at += character.size();
    const auto* row =
        std::find_if(std::begin(kAscii), std::end(kAscii),
                     [&](const auto& pair) { return pair.first == character; });
    if (row != std::end(kAscii)) {
      out += row->second;
    } else if (static_cast<unsigned char>(character[0]) < 0x80) {
      out += character;
    } else {
      out.append(ColumnsOf(character), '?');
    }
  }
  return out;
}

}  // namespace dltap::analyzer
