// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/text/print_line.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace dltap::analyzer {
namespace {

constexpr size_t kFlushBytes = 64 << 10;

void AppendNumber(std::string& text, int64_t value) {
  char digits[24];
  const auto [end, error] =
      std::to_chars(digits, digits + sizeof digits, value);
  text.append(digits, end);
}

}  // namespace

LinePrinter& LinePrinter::Word(std::string_view word) {
  text_ += ' ';
  text_ += word;
  return *this;
}

LinePrinter& LinePrinter::Name(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '*' ||
           c == '[' || c == ']' || c == ':' || c == '-' || c == '>' || c == '?';
  };
  text_ += ' ';
  if (name.empty()) {
    text_ += '?';
  } else if (std::all_of(name.begin(), name.end(), is_plain)) {
    text_ += name;
  } else {
    text_ += Quoted(name);
  }
  return *this;
}

LinePrinter& LinePrinter::Key(std::string_view key) {
  Name(key);
  text_ += '=';
  return *this;
}

LinePrinter& LinePrinter::Number(int64_t value) {
  text_ += ' ';
  AppendNumber(text_, value);
  return *this;
}

LinePrinter& LinePrinter::Field(std::string_view key, int64_t value) {
  Key(key);
  AppendNumber(text_, value);
  return *this;
}

LinePrinter& LinePrinter::Hex(std::string_view key, uint64_t value) {
  Key(key);
  text_ += "0x";
  char digits[20];
  const auto [end, error] =
      std::to_chars(digits, digits + sizeof digits, value, 16);
  text_.append(digits, end);
  return *this;
}

LinePrinter& LinePrinter::Real(std::string_view key, double value) {
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.17g", value);
  Key(key);
  text_ += digits;
  // Without a point it would be read back as an integer.
  if (std::string_view(digits).find_first_of(".en") == std::string::npos) {
    text_ += ".0";
  }
  return *this;
}

LinePrinter& LinePrinter::Text(std::string_view key, std::string_view value) {
  Key(key);
  text_ += Quoted(value);
  return *this;
}

LinePrinter& LinePrinter::Plain(std::string_view key, std::string_view word) {
  Key(key);
  text_ += word;
  return *this;
}

LinePrinter& LinePrinter::Span(int64_t begin_ns, int64_t end_ns) {
  text_ += " t=";
  AppendNumber(text_, begin_ns);
  if (end_ns != begin_ns) {
    text_ += "..";
    AppendNumber(text_, end_ns);
  }
  text_ += "ns";
  return *this;
}

LinePrinter& LinePrinter::Extent(std::string_view key,
                                 const std::array<uint32_t, 3>& extent) {
  Field(key, extent[0]);
  for (const size_t i : {1, 2}) {
    text_ += ',';
    AppendNumber(text_, extent[i]);
  }
  return *this;
}

LinePrinter& LinePrinter::Ns(std::string_view key, int64_t ns) {
  Field(key, ns);
  text_ += "ns";
  return *this;
}

LinePrinter& LinePrinter::Maybe(std::string_view key, int64_t value) {
  return value == 0 ? *this : Field(key, value);
}

LinePrinter& LinePrinter::MaybeText(std::string_view key,
                                    std::string_view value) {
  return value.empty() ? *this : Text(key, value);
}

LinePrinter& LinePrinter::MaybeWord(std::string_view word, bool present) {
  return present ? Word(word) : *this;
}

void LinePrinter::End() {
  text_ += '\n';
  if (text_.size() >= kFlushBytes) Flush();
}

void LinePrinter::Flush() {
  if (!text_.empty() && !stopped_) stopped_ = !sink_(text_, context_);
  text_.clear();
}

}  // namespace dltap::analyzer
