// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_SQLITE_FILE_H_
#define DLTAP_ANALYZER_EXPORTERS_SQLITE_FILE_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"

struct sqlite3;
struct sqlite3_stmt;

namespace dltap::analyzer {

// NULL, a number or a text.
using SqlValue = std::variant<std::monostate, int64_t, std::string_view>;

// An SQLite database that is written once, in one transaction. The first
// failure stays; later rows are dropped.
class SqliteFile {
 public:
  explicit SqliteFile(const std::string& path);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  // `columns` as SQL: "start INTEGER NOT NULL, ...".
  void CreateTable(std::string_view name, std::string_view columns);
  // Of a table that was created, in the order of its columns.
  void Insert(std::string_view table, std::initializer_list<SqlValue> row);

  absl::Status Finish();

 private:
  struct Closer {
    void operator()(sqlite3* db) const;
  };

  void Run(const std::string& sql);
  void Check(int code);
  sqlite3_stmt* InsertOf(std::string_view table, size_t columns);

  std::unique_ptr<sqlite3, Closer> db_;
  absl::Status status_;
  absl::flat_hash_map<std::string, sqlite3_stmt*> inserts_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_SQLITE_FILE_H_
