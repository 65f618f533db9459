// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_NSYS_DATABASE_H_
#define DLTAP_ANALYZER_IMPORTERS_NSYS_DATABASE_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

struct sqlite3;
struct sqlite3_stmt;

namespace dltap::analyzer {

// Three years: times that lie further from 0 are damaged.
inline constexpr int64_t kMaxNsysTimeNs = 100'000'000'000'000'000;

// One row of a scan; columns by their position in the list asked for. Lives
// until the visitor returns.
class NsysRow {
 public:
  explicit NsysRow(sqlite3_stmt* statement) : statement_(statement) {}

  // nullopt: NULL, no such column in this file, or no integer.
  std::optional<int64_t> Int(int column) const;
  int64_t IntOr(int column, int64_t otherwise) const {
    return Int(column).value_or(otherwise);
  }
  // Empty: NULL or no such column.
  std::string_view Text(int column) const;

 private:
  sqlite3_stmt* statement_;
};

// A SQLite file, read only. Which tables and columns it has is looked up once:
// exports are lazy about tables, and versions differ in columns.
class NsysDatabase {
 public:
  static absl::StatusOr<NsysDatabase> Open(const std::string& path);

  bool Has(std::string_view table) const {
    return tables_.find(table) != tables_.end();
  }
  bool Has(std::string_view table, std::string_view column) const;

  // Calls `visit` for each row of `table`, which may be missing; columns that
  // are missing read as NULL. A damaged page ends the scan with an error.
  absl::Status Scan(std::string_view table,
                    std::initializer_list<std::string_view> columns,
                    const std::function<void(const NsysRow&)>& visit);

  // Rows of a table, from its largest row id: cheap, and at least the number.
  int64_t RowsAtMost(std::string_view table);

 private:
  struct Closer {
    void operator()(sqlite3* db) const;
  };
  using Columns = std::set<std::string, std::less<>>;

  absl::Status Connect(const std::string& uri);
  absl::Status Probe();
  absl::Status ErrorOf(int code, std::string_view doing) const;

  std::string path_;
  std::unique_ptr<sqlite3, Closer> db_;
  std::map<std::string, Columns, std::less<>> tables_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_NSYS_DATABASE_H_
