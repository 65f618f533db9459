// SPDX-License-Identifier: Apache-2.0
#include "analyzer/output/json_writer.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "analyzer/output/utf8.h"

namespace dltap::analyzer {
namespace {

void AppendEscaped(std::string& out, char c) {
  constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\t': out += "\\t"; break;
    default:
      out += "\\u00";
      out += kHex[(c >> 4) & 15];
      out += kHex[c & 15];
  }
}

template <typename T>
void AppendNumber(std::string& out, T number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  out.append(text, end);
}

}  // namespace

void JsonWriter::Separate() {
  if (needs_comma_) out_ += ", ";
  needs_comma_ = true;
}

void JsonWriter::Open(char bracket) {
  Separate();
  out_ += bracket;
  needs_comma_ = false;
}

void JsonWriter::Close(char bracket) {
  out_ += bracket;
  needs_comma_ = true;
}

void JsonWriter::Quote(std::string_view text) {
  out_ += '"';
  for (size_t i = 0; i < text.size();) {
    const size_t length = CharacterLength(text, i);
    if (length == 0) {
      out_ += "\uFFFD";
      ++i;
      continue;
    }
    const char c = text[i];
    const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != '"' &&
                       c != '\\' && c != 0x7F;
    plain ? (void)out_.append(text, i, length) : AppendEscaped(out_, c);
    i += length;
  }
  out_ += '"';
}

void JsonWriter::Key(std::string_view key) {
  Separate();
  Quote(key);
  out_ += ": ";
  needs_comma_ = false;
}

void JsonWriter::Value(std::string_view text) {
  Separate();
  Quote(text);
}

void JsonWriter::Value(int64_t number) {
  Separate();
  AppendNumber(out_, number);
}

void JsonWriter::Value(uint64_t number) {
  Separate();
  AppendNumber(out_, number);
}

void JsonWriter::Value(double number) {
  if (!std::isfinite(number)) return Null();
  Separate();
  AppendNumber(out_, number);
}

void JsonWriter::Value(bool flag) {
  Separate();
  out_ += flag ? "true" : "false";
}

void JsonWriter::Null() {
  Separate();
  out_ += "null";
}

void JsonWriter::RawField(std::string_view key, std::string_view json) {
  Key(key);
  Separate();
  out_ += json;
}

std::string JsonWriter::Take() { return std::exchange(out_, {}); }

std::string JsonWriter::TakeElement() {
  needs_comma_ = false;
  return Take();
}

}  // namespace dltap::analyzer
