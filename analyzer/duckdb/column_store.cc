// SPDX-License-Identifier: Apache-2.0
#include "analyzer/duckdb/column_store.h"

#include <utility>

#include "analyzer/output/utf8.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kWordBits = 64;

// What SQL can spell. Readers written in C take NUL for the end.
std::string Spelled(std::string_view text) {
  std::string out;
  for (const char c : ValidUtf8(text)) {
    c == '\0' ? out += "\uFFFD" : out += c;
  }
  return out;
}

}  // namespace

ColumnStore::ColumnStore(std::span<const TypedColumn> columns)
    : places_(columns.size()) {
  for (const TypedColumn& column : columns) columns_.push_back({column});
}

ColumnStore::Values& ColumnStore::Next(bool known) {
  Values& values = columns_[at_++];
  if (rows_ % kWordBits == 0) values.known.push_back(0);
  values.known.back() |= uint64_t{known} << (rows_ % kWordBits);
  return values;
}

void ColumnStore::Text(std::string_view text) {
  Values& values = Next(true);
  const size_t column = at_ - 1;
  // Most columns repeat themselves.
  if (rows_ > 0) {
    const uint32_t last = values.texts.back();
    if (last < values.dictionary.size() && values.dictionary[last] == text) {
      values.texts.push_back(last);
      return;
    }
  }
  auto found = places_[column].find(text);
  if (found == places_[column].end()) {
    const auto number = static_cast<uint32_t>(values.dictionary.size());
    std::string valid = Spelled(text);
    // What becomes equal by that is one text.
    const auto [same, is_new] = places_[column].try_emplace(valid, number);
    if (is_new) values.dictionary.push_back(std::move(valid));
    found = same->first == text
                ? same
                : places_[column].try_emplace(text, same->second).first;
  }
  values.texts.push_back(found->second);
}

void ColumnStore::Integer(int64_t number) {
  Next(true).integers.push_back(number);
}

void ColumnStore::Real(double number) { Next(true).reals.push_back(number); }

void ColumnStore::Flag(bool flag) { Next(true).flags.push_back(flag ? 1 : 0); }

void ColumnStore::Null() {
  Values& values = Next(false);
  values.has_null = true;
  switch (values.column.type) {
    case ColumnType::kText: values.texts.push_back(0); break;
    case ColumnType::kInteger: values.integers.push_back(0); break;
    case ColumnType::kReal: values.reals.push_back(0); break;
    case ColumnType::kFlag: values.flags.push_back(0); break;
  }
}

void ColumnStore::EndRow() {
  ++rows_;
  at_ = 0;
}

void ColumnStore::Clear() {
  for (Values& values : columns_) {
    values.integers.clear();
    values.reals.clear();
    values.flags.clear();
    values.texts.clear();
    values.dictionary.clear();
    values.known.clear();
    values.has_null = false;
  }
  for (auto& places : places_) places.clear();
  rows_ = 0;
  at_ = 0;
}

}  // namespace dltap::analyzer
