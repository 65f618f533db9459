// SPDX-License-Identifier: Apache-2.0
#include "analyzer/output/text_table.h"

#include <utility>

#include "analyzer/output/utf8.h"

namespace dltap::analyzer {
namespace {

// Readers written in C take NUL for the end.
std::string Spelled(std::string_view text) {
  std::string out;
  for (const char c : ValidUtf8(text)) {
    c == '\0' ? out += "\uFFFD" : out += c;
  }
  return out;
}

}  // namespace

uint32_t TextTable::Add(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  const auto number = static_cast<uint32_t>(texts_.size());
  std::string valid = Spelled(text);
  const auto [same, is_new] = numbers_.try_emplace(valid, number);
  const uint32_t out = same->second;
  if (is_new) texts_.push_back(std::move(valid));
  numbers_.try_emplace(text, out);
  return out;
}

void TextTable::Clear() {
  texts_.clear();
  numbers_.clear();
}

}  // namespace dltap::analyzer
