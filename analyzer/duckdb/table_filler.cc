// SPDX-License-Identifier: Apache-2.0
#include "analyzer/duckdb/table_filler.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/duckdb/sql_text.h"

namespace dltap::analyzer {
namespace {

using Values = ColumnStore::Values;

constexpr size_t kWordBits = 64;

std::string TypeOf(const Values& values) {
  switch (values.column.type) {
    case ColumnType::kInteger: return "BIGINT";
    case ColumnType::kReal: return "DOUBLE";
    case ColumnType::kFlag: return "BOOLEAN";
    case ColumnType::kText: break;
  }
  // An ENUM without values is none.
  if (values.dictionary.empty()) return "VARCHAR";
  const auto quoted = [](std::string* out, const std::string& text) {
    out->append(SqlText(text));
  };
  return absl::StrCat("ENUM(", absl::StrJoin(values.dictionary, ", ", quoted),
                      ")");
}

// Rows [first, first + rows) of a column, into a vector of DuckDB's.
class VectorFiller {
 public:
  VectorFiller(const DuckdbFunctions& call, const Values& values, size_t first,
               size_t rows, void* vector)
      : call_(call),
        values_(values),
        first_(first),
        rows_(rows),
        vector_(vector) {}

  void Run() {
    if (values_.has_null) CopyKnown();
    switch (values_.column.type) {
      case ColumnType::kInteger: return Copy<int64_t>(values_.integers);
      case ColumnType::kReal: return Copy<double>(values_.reals);
      case ColumnType::kFlag: return Copy<uint8_t>(values_.flags);
      case ColumnType::kText: return CopyTexts();
    }
  }

 private:
  template <typename To, typename From>
  void Copy(const std::vector<From>& from) {
    auto* to = static_cast<To*>(call_.vector_get_data(vector_));
    std::transform(from.begin() + static_cast<ptrdiff_t>(first_),
                   from.begin() + static_cast<ptrdiff_t>(first_ + rows_), to,
                   [](From value) { return static_cast<To>(value); });
  }

  // As wide as the ENUM needs: DuckDB chooses by the count of its values.
  void CopyTexts() {
    const size_t count = values_.dictionary.size();
    if (count == 0) return;  // all null
    if (count <= UINT8_MAX) return Copy<uint8_t>(values_.texts);
    if (count <= UINT16_MAX) return Copy<uint16_t>(values_.texts);
    Copy<uint32_t>(values_.texts);
  }

  // A chunk begins at a whole word.
  void CopyKnown() {
    call_.vector_ensure_validity_writable(vector_);
    std::memcpy(call_.vector_get_validity(vector_),
                &values_.known[first_ / kWordBits],
                (rows_ + kWordBits - 1) / kWordBits * sizeof(uint64_t));
  }

  const DuckdbFunctions& call_;
  const Values& values_;
  const size_t first_;
  const size_t rows_;
  void* const vector_;
};

// What the appender takes at a time.
class Chunk {
 public:
  Chunk(const DuckdbFunctions& call, void* appender, size_t columns)
      : call_(call) {
    std::vector<void*> types;
    for (size_t c = 0; c < columns; ++c) {
      types.push_back(call.appender_column_type(appender, c));
    }
    chunk_ = call.create_data_chunk(types.data(), columns);
    for (void*& type : types) call.destroy_logical_type(&type);
  }
  ~Chunk() { call_.destroy_data_chunk(&chunk_); }
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;

  bool AppendTo(void* appender, const ColumnStore& store, size_t first,
                size_t rows) {
    call_.data_chunk_reset(chunk_);
    for (size_t c = 0; c < store.columns().size(); ++c) {
      VectorFiller(call_, store.columns()[c], first, rows,
                   call_.data_chunk_get_vector(chunk_, c))
          .Run();
    }
    call_.data_chunk_set_size(chunk_, rows);
    return call_.append_data_chunk(appender, chunk_) == 0;
  }

 private:
  const DuckdbFunctions& call_;
  void* chunk_ = nullptr;
};

bool Append(const DuckdbFunctions& call, void* appender,
            const ColumnStore& rows) {
  Chunk chunk(call, appender, rows.columns().size());
  const size_t at_once = call.vector_size();
  for (size_t first = 0; first < rows.rows(); first += at_once) {
    const size_t count = std::min(at_once, rows.rows() - first);
    if (!chunk.AppendTo(appender, rows, first, count)) return false;
  }
  return call.appender_close(appender) == 0;
}

}  // namespace

std::string SqlOfTable(std::string_view table, const ColumnStore& rows) {
  std::vector<std::string> columns;
  for (const Values& values : rows.columns()) {
    columns.push_back(
        absl::StrCat(SqlName(values.column.name), " ", TypeOf(values)));
  }
  return absl::StrCat("CREATE TABLE ", SqlName(table), " (",
                      absl::StrJoin(columns, ", "), ")");
}

absl::Status FillTable(const DuckdbFunctions& call, void* connection,
                       const std::string& table, const ColumnStore& rows) {
  void* appender = nullptr;
  absl::Status status;
  if (call.appender_create(connection, nullptr, table.c_str(), &appender) !=
          0 ||
      !Append(call, appender, rows)) {
    const char* const error = call.appender_error(appender);
    status = absl::InternalError(
        absl::StrCat("DuckDB: cannot fill the table ", table, ": ",
                     error == nullptr ? "no reason given" : error));
  }
  call.appender_destroy(&appender);
  return status;
}

}  // namespace dltap::analyzer
