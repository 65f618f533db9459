// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/nsys_database.h"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace dltap::analyzer {
namespace {

constexpr int kBusyMilliseconds = 500;
constexpr int64_t kMapBytes = int64_t{1} << 30;

// "a?b.sqlite" as the path of a URI.
std::string UriOf(const std::string& path, std::string_view options) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      constexpr char kHex[] = "0123456789ABCDEF";
      uri += {'%', kHex[(c >> 4) & 15], kHex[c & 15]};
    } else {
      uri += c;
    }
  }
  return absl::StrCat(uri, "?", std::string(options));
}

std::string Quoted(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

bool HasBytes(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return !error && size > 0;
}

class Statement {
 public:
  Statement() = default;
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  int Prepare(sqlite3* db, const std::string& sql) {
    return sqlite3_prepare_v2(db, sql.c_str(), static_cast<int>(sql.size()),
                              &statement_, nullptr);
  }
  int Step() { return sqlite3_step(statement_); }
  sqlite3_stmt* get() const { return statement_; }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace

std::optional<int64_t> NsysRow::Int(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER) {
    return std::nullopt;
  }
  return sqlite3_column_int64(statement_, column);
}

std::string_view NsysRow::Text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_, column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

void NsysDatabase::Closer::operator()(sqlite3* db) const { sqlite3_close(db); }

absl::StatusOr<NsysDatabase> NsysDatabase::Open(const std::string& path) {
  NsysDatabase database;
  database.path_ = path;
  absl::Status status = database.Connect(UriOf(path, "mode=ro"));
  if (status.ok()) status = database.Probe();
  // A file in WAL mode needs its shared memory beside it, which a read-only
  // folder refuses. Without a log the file alone is whole.
  if (absl::IsPermissionDenied(status) && !HasBytes(path + "-wal")) {
    status = database.Connect(UriOf(path, "mode=ro&immutable=1"));
    if (status.ok()) status = database.Probe();
  }
  if (!status.ok()) return status;
  return database;
}

absl::Status NsysDatabase::Connect(const std::string& uri) {
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(
      uri.c_str(), &db,
      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  db_.reset(db);
  if (code != SQLITE_OK) return ErrorOf(code, "open");
  sqlite3_busy_timeout(db, kBusyMilliseconds);
  // The file is hostile input: its schema may not call functions.
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_exec(db, "PRAGMA cell_size_check=1", nullptr, nullptr, nullptr);
  sqlite3_exec(db, absl::StrCat("PRAGMA mmap_size=", kMapBytes).c_str(),
               nullptr, nullptr, nullptr);
  return absl::OkStatus();
}

absl::Status NsysDatabase::ErrorOf(int code, std::string_view doing) const {
  const std::string what =
      absl::StrCat(path_, ": cannot ", std::string(doing), ": ",
                   db_ ? sqlite3_errmsg(db_.get()) : sqlite3_errstr(code));
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::FailedPreconditionError(absl::StrCat(
          what, "; another program writes to it: wait until nsys export ends"));
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return absl::PermissionDeniedError(absl::StrCat(
          what,
          "; is it readable? A file with a -wal or -journal beside it "
          "must be in a writable folder"));
    default:
      return absl::DataLossError(
          absl::StrCat(what,
                       "; the file is damaged or cut short: export it "
                       "again with nsys export --type sqlite"));
  }
}

absl::Status NsysDatabase::Probe() {
  tables_.clear();
  Statement names;
  int code = names.Prepare(
      db_.get(), "SELECT name FROM sqlite_master WHERE type = 'table'");
  if (code != SQLITE_OK) return ErrorOf(code, "read its tables");
  while ((code = names.Step()) == SQLITE_ROW) {
    const std::string table(NsysRow(names.get()).Text(0));
    Columns& columns = tables_[table];
    Statement info;
    const std::string sql =
        absl::StrCat("SELECT name FROM pragma_table_info(?1)");
    if (info.Prepare(db_.get(), sql) != SQLITE_OK) continue;
    sqlite3_bind_text(info.get(), 1, table.data(),
                      static_cast<int>(table.size()), SQLITE_STATIC);
    while (info.Step() == SQLITE_ROW) {
      columns.emplace(NsysRow(info.get()).Text(0));
    }
  }
  if (code != SQLITE_DONE) return ErrorOf(code, "read its tables");
  return absl::OkStatus();
}

bool NsysDatabase::Has(std::string_view table, std::string_view column) const {
  const auto it = tables_.find(table);
  return it != tables_.end() && it->second.find(column) != it->second.end();
}

absl::Status NsysDatabase::Scan(
    std::string_view table, std::initializer_list<std::string_view> columns,
    const std::function<void(const NsysRow&)>& visit) {
  if (!Has(table)) return absl::OkStatus();
  std::string sql = "SELECT ";
  for (const std::string_view column : columns) {
    if (sql.back() != ' ') sql += ',';
    sql += Has(table, column) ? Quoted(column) : "NULL";
  }
  absl::StrAppend(&sql, " FROM ", Quoted(table));
  const std::string doing = absl::StrCat("read table ", std::string(table));
  Statement statement;
  int code = statement.Prepare(db_.get(), sql);
  if (code != SQLITE_OK) return ErrorOf(code, doing);
  uint64_t rows = 0;
  while ((code = statement.Step()) == SQLITE_ROW) {
    visit(NsysRow(statement.get()));
    ++rows;
  }
  if (code == SQLITE_DONE) return absl::OkStatus();
  return ErrorOf(code, absl::StrCat(doing, " after ", rows, " rows"));
}

int64_t NsysDatabase::RowsAtMost(std::string_view table) {
  if (!Has(table)) return 0;
  Statement statement;
  const std::string sql = "SELECT max(rowid) FROM " + Quoted(table);
  if (statement.Prepare(db_.get(), sql) != SQLITE_OK) return 0;
  if (statement.Step() != SQLITE_ROW) return 0;
  return std::max<int64_t>(0, NsysRow(statement.get()).IntOr(0, 0));
}

}  // namespace dltap::analyzer
