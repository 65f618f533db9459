// SPDX-License-Identifier: Apache-2.0
#include "analyzer/duckdb/column_store.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

constexpr size_t kWordBits = 64;

template <typename T>
void Copy(const std::vector<T>& from, size_t first, size_t count, T* to) {
  const auto begin = from.begin() + static_cast<ptrdiff_t>(first);
  std::copy(begin, begin + static_cast<ptrdiff_t>(count), to);
}

void CopyColumn(const ColumnStore::Values& from, size_t first, size_t count,
                ColumnPlace& to) {
  switch (from.column.type) {
    case ColumnType::kInteger:
      Copy(from.integers, first, count, to.integers);
      break;
    case ColumnType::kReal: Copy(from.reals, first, count, to.reals); break;
    case ColumnType::kFlag: Copy(from.flags, first, count, to.flags); break;
    case ColumnType::kText: Copy(from.texts, first, count, to.texts); break;
  }
  for (size_t i = 0; i < count; ++i) {
    const size_t row = first + i;
    if ((from.known[row / kWordBits] >> (row % kWordBits) & 1) == 0) to.Null(i);
  }
}

}  // namespace

ColumnStore::ColumnStore(std::span<const TypedColumn> columns) {
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
  values.texts.push_back(values.dictionary.Add(text));
}

void ColumnStore::Integer(int64_t number) {
  Next(true).integers.push_back(number);
}

void ColumnStore::Real(double number) { Next(true).reals.push_back(number); }

void ColumnStore::Flag(bool flag) { Next(true).flags.push_back(flag ? 1 : 0); }

void ColumnStore::Null() {
  Values& values = Next(false);
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

StoredRows::StoredRows(const ColumnStore& store) : store_(store) {
  for (const ColumnStore::Values& values : store.columns()) {
    columns_.push_back(values.column);
  }
}

void StoredRows::Fill(size_t first, size_t count,
                      std::span<ColumnPlace> places) {
  for (size_t c = 0; c < places.size(); ++c) {
    CopyColumn(store_.columns()[c], first, count, places[c]);
  }
}

}  // namespace dltap::analyzer
