// SPDX-License-Identifier: Apache-2.0
#include "analyzer/duckdb/duckdb.h"

#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace dltap::analyzer {
namespace {

constexpr char kSpillMetric[] = "SYSTEM_PEAK_TEMP_DIR_SIZE";

// The numbers of duckdb_type.
enum DuckdbType : int {
  kBoolean = 1,
  kFirstInteger = 2,  // int8
  kLastInteger = 8,   // uint32
  kUnsigned64 = 9,
  kFloat = 10,
  kDouble = 11,
  kFirstTime = 12,  // timestamp
  kLastTime = 15,   // interval
  kHuge = 16,       // what sums of int64 are
  kText = 17,
  kDecimal = 19
};

bool IsLarge(int type) { return type == kUnsigned64 || type == kHuge; }

// nullopt: DuckDB's C interface gives no text of it.
std::optional<ColumnType> TypeOf(int type) {
  if (type == kBoolean) return ColumnType::kFlag;
  if ((type >= kFirstInteger && type <= kLastInteger) || IsLarge(type)) {
    return ColumnType::kInteger;
  }
  if (type == kFloat || type == kDouble || type == kDecimal) {
    return ColumnType::kReal;
  }
  const bool is_time = type >= kFirstTime && type <= kLastTime;
  if (is_time || type == kText) return ColumnType::kText;
  return std::nullopt;
}

absl::StatusOr<ResultColumns> ColumnsOf(const DuckdbFunctions& call,
                                        DuckdbFunctions::Result& result) {
  ResultColumns columns;
  for (uint64_t c = 0; c < call.column_count(&result); ++c) {
    const char* const name = call.column_name(&result, c);
    const auto type = TypeOf(call.column_type(&result, c));
    if (!type) {
      return absl::InvalidArgumentError(
          absl::StrCat("the column ", name,
                       " has a type that can't be shown; CAST(... AS VARCHAR) "
                       "makes it a text"));
    }
    columns.push_back({name, *type});
  }
  return columns;
}

void Write(const DuckdbFunctions& call, DuckdbFunctions::Result& result,
           uint64_t column, uint64_t row, ColumnType type, RowSink& sink) {
  if (call.value_is_null(&result, column, row)) return sink.Null();
  switch (type) {
    case ColumnType::kFlag:
      return sink.Flag(call.value_boolean(&result, column, row));
    case ColumnType::kInteger:
      if (IsLarge(call.column_type(&result, column))) break;
      return sink.Integer(call.value_int64(&result, column, row));
    case ColumnType::kReal:
      return sink.Real(call.value_double(&result, column, row));
    case ColumnType::kText: break;
  }
  char* const text = call.value_varchar(&result, column, row);
  int64_t number = 0;
  // One that int64 does not hold stays as it is written.
  if (type == ColumnType::kInteger && absl::SimpleAtoi(text, &number)) {
    sink.Integer(number);
  } else {
    sink.Text(text == nullptr ? "" : text);
  }
  call.free(text);
}

void WriteRows(const DuckdbFunctions& call, DuckdbFunctions::Result& result,
               const ResultColumns& columns, RowSink& sink) {
  const uint64_t rows = call.row_count(&result);
  for (uint64_t row = 0; row < rows; ++row) {
    for (uint64_t c = 0; c < columns.size(); ++c) {
      Write(call, result, c, row, columns[c].type, sink);
    }
    sink.EndRow();
  }
}

}  // namespace

absl::StatusOr<Duckdb> Duckdb::Open() {
  const absl::StatusOr<const DuckdbFunctions*> functions = LoadDuckdb();
  if (!functions.ok()) return functions.status();
  Duckdb out(*functions);
  if (out.call_->open(nullptr, &out.database_) != 0 ||
      out.call_->connect(out.database_, &out.connection_) != 0) {
    return absl::InternalError("DuckDB can't open a database in memory");
  }
  return out;
}

Duckdb::Duckdb(Duckdb&& other) noexcept
    : call_(other.call_),
      database_(std::exchange(other.database_, nullptr)),
      connection_(std::exchange(other.connection_, nullptr)),
      scan_(std::move(other.scan_)) {}

Duckdb::~Duckdb() {
  if (connection_ != nullptr) call_->disconnect(&connection_);
  if (database_ != nullptr) call_->close(&database_);
}

absl::Status Duckdb::Run(const std::string& sql) { return Query(sql, nullptr); }

absl::Status Duckdb::Query(
    const std::string& sql,
    const std::function<RowSink&(const ResultColumns&)>& begin) {
  DuckdbFunctions::Result result;
  absl::Status status;
  if (call_->query(connection_, sql.c_str(), &result) != 0) {
    const char* const error = call_->result_error(&result);
    status = absl::InvalidArgumentError(
        absl::StrCat("DuckDB: ", error == nullptr ? "no reason given" : error));
  } else if (begin) {
    const auto columns = ColumnsOf(*call_, result);
    status = columns.status();
    if (columns.ok()) WriteRows(*call_, result, *columns, begin(*columns));
  }
  call_->destroy_result(&result);
  return status;
}

absl::Status Duckdb::WatchSpills() {
  absl::Status status = Run("PRAGMA enable_profiling = 'no_output'");
  if (!status.ok()) return status;
  return Run(absl::StrCat("SET custom_profiling_settings = '{\"", kSpillMetric,
                          "\": \"true\"}'"));
}

int64_t Duckdb::SpilledBytes() {
  void* const info = call_->get_profiling_info(connection_);
  if (info == nullptr) return 0;
  void* value = call_->profiling_info_get_value(info, kSpillMetric);
  if (value == nullptr) return 0;
  const int64_t bytes = call_->get_int64(value);
  call_->destroy_value(&value);
  return bytes;
}

absl::Status Duckdb::Run(const std::string& sql, ColumnRows& rows, size_t first,
                         size_t count) {
  if (scan_ == nullptr) {
    scan_ = std::make_unique<RowScan>(*call_);
    const absl::Status registered = scan_->Register(connection_);
    if (!registered.ok()) return registered;
  }
  scan_->Give(rows, first, count);
  return Run(sql);
}

}  // namespace dltap::analyzer
