// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/text/text_fields.h"

#include <algorithm>

namespace dltap::analyzer {

void TextFields::Fail(std::string_view key, std::string_view value) {
  if (!status_.ok()) return;
  status_ = absl::InvalidArgumentError("bad value \"" + std::string(value) +
                                       "\" for " + std::string(key));
}

int64_t TextFields::Int(std::string_view key, int64_t otherwise) {
  const auto text = line_.Get(key);
  if (!text) return otherwise;
  const auto value = ParseInteger(*text);
  if (!value) Fail(key, *text);
  return value.value_or(otherwise);
}

int64_t TextFields::IntWord(size_t n) {
  const auto value = ParseInteger(line_.Word(n));
  if (!value) Fail(line_.kind(), line_.Word(n));
  return value.value_or(0);
}

uint64_t TextFields::CheckIndex(int64_t value) {
  if (value >= 0 && static_cast<uint64_t>(value) <= kMaxIndex) return value;
  Fail(line_.kind(), std::to_string(value));
  return 0;
}

uint64_t TextFields::Index(std::string_view key) {
  return CheckIndex(Int(key));
}

uint64_t TextFields::IndexWord(size_t n) { return CheckIndex(IntWord(n)); }

int64_t TextFields::Time(std::string_view key, int64_t otherwise) {
  const auto text = line_.Get(key);
  if (!text) return otherwise;
  const auto value = ParseTime(*text);
  if (!value) Fail(key, *text);
  return value.value_or(otherwise);
}

TextSpan TextFields::Span() {
  const std::string_view text = line_.GetOr("t", "");
  const auto span = ParseSpan(text);
  if (!span) Fail("t", text);
  return span.value_or(TextSpan{});
}

std::string TextFields::Text(std::string_view key, std::string_view otherwise) {
  return std::string(line_.GetOr(key, otherwise));
}

std::array<uint32_t, 3> TextFields::Extent(std::string_view key) {
  std::array<uint32_t, 3> extent = {};
  const auto text = line_.Get(key);
  if (!text) return extent;
  extent = {1, 1, 1};
  std::string_view rest = *text;
  for (uint32_t& size : extent) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const auto value = ParseInteger(rest.substr(0, comma));
    if (!value) Fail(key, *text);
    size = static_cast<uint32_t>(value.value_or(0));
    if (comma == rest.size()) break;
    rest.remove_prefix(comma + 1);
  }
  return extent;
}

absl::Status TextFields::status() const {
  if (!status_.ok()) return status_;
  const std::string_view unused = line_.UnusedKey();
  if (unused.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("unknown key \"" + std::string(unused) +
                                    "\" for " + line_.kind());
}

}  // namespace dltap::analyzer
