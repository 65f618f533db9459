// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/answer.h"

#include <algorithm>

namespace dltap::analyzer {

Answer::Answer(const ResultColumns& columns) : rows_(1) {
  for (const TypedColumn& column : columns) columns_.emplace_back(column.name);
}

void Answer::Add(Value value) { rows_.back().push_back(std::move(value)); }

const Answer::Value& Answer::At(size_t row, std::string_view column) const {
  static const Value none;
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (row >= size() || found == columns_.end()) return none;
  return rows_[row][static_cast<size_t>(found - columns_.begin())];
}

std::optional<double> Answer::Number(size_t row,
                                     std::string_view column) const {
  const Value& value = At(row, column);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* whole = std::get_if<int64_t>(&value)) {
    return static_cast<double>(*whole);
  }
  return std::nullopt;
}

std::optional<int64_t> Answer::Whole(size_t row,
                                     std::string_view column) const {
  const auto* whole = std::get_if<int64_t>(&At(row, column));
  return whole == nullptr ? std::nullopt : std::optional(*whole);
}

bool Answer::Flag(size_t row, std::string_view column) const {
  const auto* flag = std::get_if<bool>(&At(row, column));
  return flag != nullptr && *flag;
}

std::string Answer::Word(size_t row, std::string_view column) const {
  const auto* text = std::get_if<std::string>(&At(row, column));
  return text == nullptr ? "" : *text;
}

}  // namespace dltap::analyzer
