// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/sqlite_file.h"

#include <sqlite3.h>

#include "absl/strings/str_cat.h"

namespace dltap::analyzer {

void SqliteFile::Closer::operator()(sqlite3* db) const { sqlite3_close(db); }

SqliteFile::SqliteFile(const std::string& path) {
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(
      path.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  db_.reset(db);
  Check(code);
  // The file is new and gets its name when it is whole: no journal.
  Run("PRAGMA journal_mode=OFF");
  Run("PRAGMA synchronous=OFF");
  Run("BEGIN");
}

SqliteFile::~SqliteFile() {
  for (const auto& [table, statement] : inserts_) sqlite3_finalize(statement);
}

void SqliteFile::Check(int code) {
  const bool fine =
      code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW;
  if (fine || !status_.ok()) return;
  status_ = absl::InternalError(absl::StrCat(
      "SQLite: ", db_ ? sqlite3_errmsg(db_.get()) : sqlite3_errstr(code)));
}

void SqliteFile::Run(const std::string& sql) {
  if (!status_.ok()) return;
  Check(sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr));
}

void SqliteFile::CreateTable(std::string_view name, std::string_view columns) {
  Run(absl::StrCat("CREATE TABLE \"", std::string(name), "\" (",
                   std::string(columns), ")"));
}

sqlite3_stmt* SqliteFile::InsertOf(std::string_view table, size_t columns) {
  sqlite3_stmt*& statement = inserts_[std::string(table)];
  if (statement != nullptr) return statement;
  std::string places = "?";
  for (size_t i = 1; i < columns; ++i) places += ", ?";
  const std::string sql = absl::StrCat("INSERT INTO \"", std::string(table),
                                       "\" VALUES (", places, ")");
  Check(sqlite3_prepare_v2(db_.get(), sql.c_str(), -1, &statement, nullptr));
  return statement;
}

void SqliteFile::Insert(std::string_view table,
                        std::initializer_list<SqlValue> row) {
  if (!status_.ok()) return;
  sqlite3_stmt* const statement = InsertOf(table, row.size());
  if (statement == nullptr) return;
  int column = 0;
  for (const SqlValue& value : row) {
    ++column;
    if (const auto* number = std::get_if<int64_t>(&value)) {
      Check(sqlite3_bind_int64(statement, column, *number));
    } else if (const auto* text = std::get_if<std::string_view>(&value)) {
      Check(sqlite3_bind_text64(statement, column,
                                text->data() == nullptr ? "" : text->data(),
                                text->size(), SQLITE_STATIC, SQLITE_UTF8));
    } else {
      Check(sqlite3_bind_null(statement, column));
    }
  }
  Check(sqlite3_step(statement));
  Check(sqlite3_reset(statement));
}

absl::Status SqliteFile::Finish() {
  Run("COMMIT");
  return status_;
}

}  // namespace dltap::analyzer
