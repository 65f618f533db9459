// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/text/text_line.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace dltap::analyzer {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::optional<int> HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// Reads the rest of a quoted string, whose first quote is at rest[0].
absl::Status TakeQuoted(std::string_view& rest, std::string& out) {
  size_t i = 1;
  for (; i < rest.size() && rest[i] != '"'; ++i) {
    if (rest[i] != '\\') {
      out += rest[i];
    } else if (i + 3 < rest.size() && rest[i + 1] == 'x' &&
               HexDigit(rest[i + 2]) && HexDigit(rest[i + 3])) {
      out += static_cast<char>(*HexDigit(rest[i + 2]) * 16 +
                               *HexDigit(rest[i + 3]));
      i += 3;
    } else if (i + 1 < rest.size()) {
      out += rest[++i];
    }
  }
  if (i >= rest.size()) return absl::InvalidArgumentError("missing \"");
  rest.remove_prefix(i + 1);
  return absl::OkStatus();
}

struct Unit {
  std::string_view suffix;
  int64_t ns;
};
// Longest suffix first: "s" ends all of them.
constexpr Unit kUnits[] = {
    {"ns", 1}, {"us", 1000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};

// Splits "1.5us" into the number and the unit; no unit: ns == 0.
std::pair<std::string_view, int64_t> SplitUnit(std::string_view text) {
  for (const Unit& unit : kUnits) {
    if (text.ends_with(unit.suffix)) {
      text.remove_suffix(unit.suffix.size());
      return {text, unit.ns};
    }
  }
  return {text, 0};
}

constexpr int64_t kMaxNs = int64_t{1} << 61;

std::optional<int64_t> ParseDecimal(std::string_view text, int64_t scale) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const size_t dot = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, dot);
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(whole.data(), whole.data() + whole.size(), value);
  if (error != std::errc() || end != whole.data() + whole.size() ||
      __builtin_mul_overflow(value, scale, &value)) {
    return std::nullopt;
  }
  for (const char c : text.substr(std::min(dot + 1, text.size()))) {
    if (c < '0' || c > '9') return std::nullopt;
    scale /= 10;
    value += (c - '0') * scale;
  }
  // Sums and differences of two times must not overflow.
  if (value > kMaxNs) return std::nullopt;
  return negative ? -value : value;
}

}  // namespace

absl::StatusOr<TextLine> TextLine::Scan(std::string_view rest) {
  TextLine line;
  while (true) {
    while (!rest.empty() && IsSpace(rest.front())) rest.remove_prefix(1);
    if (rest.empty() || rest.front() == '#') return line;
    std::string token;
    size_t equals = std::string::npos;
    while (!rest.empty() && !IsSpace(rest.front())) {
      if (rest.front() == '"') {
        if (absl::Status s = TakeQuoted(rest, token); !s.ok()) return s;
        continue;
      }
      if (rest.front() == '=' && equals == std::string::npos) {
        equals = token.size();
      }
      token += rest.front();
      rest.remove_prefix(1);
    }
    if (line.kind_.empty()) {
      line.kind_ = token;
    } else if (equals == std::string::npos || equals == 0) {
      line.words_.push_back(token);
    } else {
      line.fields_.push_back(
          {token.substr(0, equals), token.substr(equals + 1)});
    }
  }
}

std::string_view TextLine::Word(size_t n) const {
  return n < words_.size() ? std::string_view(words_[n]) : std::string_view();
}

bool TextLine::HasWord(std::string_view word) const {
  return std::find(words_.begin(), words_.end(), word) != words_.end();
}

bool TextLine::Has(std::string_view key) const {
  return std::any_of(fields_.begin(), fields_.end(),
                     [key](const Field& f) { return f.key == key; });
}

std::optional<std::string_view> TextLine::Get(std::string_view key) {
  for (Field& field : fields_) {
    if (field.key != key || field.used) continue;
    field.used = true;
    return field.value;
  }
  return std::nullopt;
}

std::string_view TextLine::GetOr(std::string_view key,
                                 std::string_view otherwise) {
  return Get(key).value_or(otherwise);
}

std::string_view TextLine::UnusedKey() const {
  for (const Field& field : fields_) {
    if (!field.used) return field.key;
  }
  return {};
}

std::optional<int64_t> ParseTime(std::string_view text) {
  const auto [number, unit] = SplitUnit(text);
  return ParseDecimal(number, unit == 0 ? 1 : unit);
}

std::optional<TextSpan> ParseSpan(std::string_view text) {
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    const auto at = ParseTime(text);
    if (!at) return std::nullopt;
    return TextSpan{*at, *at};
  }
  const auto [first, first_unit] = SplitUnit(text.substr(0, dots));
  const auto [last, last_unit] = SplitUnit(text.substr(dots + 2));
  const int64_t unit = last_unit == 0 ? 1 : last_unit;
  const auto begin = ParseDecimal(first, first_unit == 0 ? unit : first_unit);
  const auto end = ParseDecimal(last, unit);
  if (!begin || !end || *end < *begin) return std::nullopt;
  return TextSpan{*begin, *end};
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  if (text.starts_with("0x")) {
    uint64_t value = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + 2, last, value, 16);
    if (error != std::errc() || end != last) return std::nullopt;
    return static_cast<int64_t>(value);
  }
  int64_t value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

std::string Quoted(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7F) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace dltap::analyzer
