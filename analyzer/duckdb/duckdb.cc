// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/duckdb_library.h"

#include <dlfcn.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/output/utf8.h"

namespace dltap::analyzer {

// DuckDB's handles are pointers; a state of 0 is success.
struct DuckdbFunctions {
  struct Result {  // what duckdb_query fills; none of its fields is for us
    void* fields[8] = {};
  };

  int (*open)(const char* path, void** database);
  void (*close)(void** database);
  int (*connect)(void* database, void** connection);
  void (*disconnect)(void** connection);
  int (*query)(void* connection, const char* sql, Result* result);
  const char* (*result_error)(Result* result);
  void (*destroy_result)(Result* result);
  int (*appender_create)(void* connection, const char* schema,
                         const char* table, void** appender);
  int (*appender_destroy)(void** appender);
  int (*append_varchar_length)(void* appender, const char* text,
                               uint64_t length);
  int (*append_int64)(void* appender, int64_t number);
  int (*append_double)(void* appender, double number);
  int (*append_bool)(void* appender, bool flag);
  int (*append_null)(void* appender);
  int (*appender_end_row)(void* appender);
};

namespace {

constexpr char kLibrary[] = "libduckdb.so";

template <typename Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool FindAll(void* library, DuckdbFunctions& f) {
  return Find(library, "duckdb_open", f.open) &&
         Find(library, "duckdb_close", f.close) &&
         Find(library, "duckdb_connect", f.connect) &&
         Find(library, "duckdb_disconnect", f.disconnect) &&
         Find(library, "duckdb_query", f.query) &&
         Find(library, "duckdb_result_error", f.result_error) &&
         Find(library, "duckdb_destroy_result", f.destroy_result) &&
         Find(library, "duckdb_appender_create", f.appender_create) &&
         Find(library, "duckdb_appender_destroy", f.appender_destroy) &&
         Find(library, "duckdb_append_varchar_length",
              f.append_varchar_length) &&
         Find(library, "duckdb_append_int64", f.append_int64) &&
         Find(library, "duckdb_append_double", f.append_double) &&
         Find(library, "duckdb_append_bool", f.append_bool) &&
         Find(library, "duckdb_append_null", f.append_null) &&
         Find(library, "duckdb_appender_end_row", f.appender_end_row);
}

absl::StatusOr<const DuckdbFunctions*> LoadLibrary() {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::UnavailableError(absl::StrCat(
        "Parquet is written by DuckDB, whose ", kLibrary,
        " is not found; put its folder into LD_LIBRARY_PATH, or use --format "
        "csv, which DuckDB and pandas read too"));
  }
  static DuckdbFunctions functions;
  if (!FindAll(library, functions)) {
    return absl::UnavailableError(
        absl::StrCat(kLibrary,
                     " lacks functions that dltap calls; use the "
                     "library of DuckDB 1.0 or newer"));
  }
  return &functions;
}

std::string_view TypeOf(ColumnType type) {
  switch (type) {
    case ColumnType::kText: return "VARCHAR";
    case ColumnType::kInteger: return "BIGINT";
    case ColumnType::kReal: return "DOUBLE";
    case ColumnType::kFlag: break;
  }
  return "BOOLEAN";
}

// The first failure stays.
class AppenderSink : public RowSink {
 public:
  AppenderSink(const DuckdbFunctions& call, void* appender)
      : call_(call), appender_(appender) {}

  void Text(std::string_view text) override {
    const std::string valid = ValidUtf8(text);
    Check(call_.append_varchar_length(appender_, valid.data(), valid.size()));
  }
  void Integer(int64_t number) override {
    Check(call_.append_int64(appender_, number));
  }
  void Real(double number) override {
    Check(call_.append_double(appender_, number));
  }
  void Flag(bool flag) override { Check(call_.append_bool(appender_, flag)); }
  void Null() override { Check(call_.append_null(appender_)); }
  void EndRow() override { Check(call_.appender_end_row(appender_)); }

  bool failed() const { return failed_; }

 private:
  void Check(int state) { failed_ |= state != 0; }

  const DuckdbFunctions& call_;
  void* appender_;
  bool failed_ = false;
};

}  // namespace

absl::StatusOr<Duckdb> Duckdb::Open() {
  static const absl::StatusOr<const DuckdbFunctions*> functions = LoadLibrary();
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
      connection_(std::exchange(other.connection_, nullptr)) {}

Duckdb::~Duckdb() {
  if (connection_ != nullptr) call_->disconnect(&connection_);
  if (database_ != nullptr) call_->close(&database_);
}

absl::Status Duckdb::Run(const std::string& sql) {
  DuckdbFunctions::Result result;
  absl::Status status;
  if (call_->query(connection_, sql.c_str(), &result) != 0) {
    const char* const error = call_->result_error(&result);
    status = absl::InternalError(
        absl::StrCat("DuckDB: ", error == nullptr ? "no reason given" : error));
  }
  call_->destroy_result(&result);
  return status;
}

absl::Status Duckdb::Fill(const Table& table, const ExportInput& input) {
  std::string columns;
  for (const Column& column : table.columns) {
    absl::StrAppend(&columns, columns.empty() ? "" : ", ", "\"",
                    std::string(column.name), "\" ",
                    std::string(TypeOf(column.type)));
  }
  const std::string name(table.name);
  absl::Status made =
      Run(absl::StrCat("CREATE TABLE \"", name, "\" (", columns, ")"));
  if (!made.ok()) return made;
  void* appender = nullptr;
  bool failed = call_->appender_create(connection_, nullptr, name.c_str(),
                                       &appender) != 0;
  if (!failed) {
    AppenderSink sink(*call_, appender);
    table.rows(input, sink);
    failed = sink.failed();
  }
  failed |= call_->appender_destroy(&appender) != 0;
  if (failed) {
    return absl::InternalError(
        absl::StrCat("DuckDB: cannot fill the table ", name));
  }
  return absl::OkStatus();
}

}  // namespace dltap::analyzer
