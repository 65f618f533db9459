// SPDX-License-Identifier: Apache-2.0
#include "analyzer/duckdb/duckdb_functions.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"

namespace dltap::analyzer {
namespace {

constexpr char kLibrary[] = "libduckdb.so";

// Looks functions up, and remembers whether one is missing.
class Finder {
 public:
  explicit Finder(void* library) : library_(library) {}

  template <typename Function>
  void operator()(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    has_all_ = has_all_ && function != nullptr;
  }
  bool has_all() const { return has_all_; }

 private:
  void* library_;
  bool has_all_ = true;
};

bool FindAll(void* library, DuckdbFunctions& f) {
  Finder find(library);
  find("duckdb_open", f.open);
  find("duckdb_close", f.close);
  find("duckdb_connect", f.connect);
  find("duckdb_disconnect", f.disconnect);
  find("duckdb_free", f.free);
  find("duckdb_query", f.query);
  find("duckdb_result_error", f.result_error);
  find("duckdb_destroy_result", f.destroy_result);
  find("duckdb_column_count", f.column_count);
  find("duckdb_column_name", f.column_name);
  find("duckdb_column_type", f.column_type);
  find("duckdb_row_count", f.row_count);
  find("duckdb_value_is_null", f.value_is_null);
  find("duckdb_value_boolean", f.value_boolean);
  find("duckdb_value_int64", f.value_int64);
  find("duckdb_value_double", f.value_double);
  find("duckdb_value_varchar", f.value_varchar);
  find("duckdb_get_profiling_info", f.get_profiling_info);
  find("duckdb_profiling_info_get_value", f.profiling_info_get_value);
  find("duckdb_get_int64", f.get_int64);
  find("duckdb_destroy_value", f.destroy_value);
  find("duckdb_appender_create", f.appender_create);
  find("duckdb_appender_column_type", f.appender_column_type);
  find("duckdb_appender_error", f.appender_error);
  find("duckdb_appender_close", f.appender_close);
  find("duckdb_appender_destroy", f.appender_destroy);
  find("duckdb_append_data_chunk", f.append_data_chunk);
  find("duckdb_destroy_logical_type", f.destroy_logical_type);
  find("duckdb_create_data_chunk", f.create_data_chunk);
  find("duckdb_destroy_data_chunk", f.destroy_data_chunk);
  find("duckdb_data_chunk_reset", f.data_chunk_reset);
  find("duckdb_data_chunk_set_size", f.data_chunk_set_size);
  find("duckdb_data_chunk_get_vector", f.data_chunk_get_vector);
  find("duckdb_vector_get_data", f.vector_get_data);
  find("duckdb_vector_ensure_validity_writable",
       f.vector_ensure_validity_writable);
  find("duckdb_vector_get_validity", f.vector_get_validity);
  find("duckdb_vector_size", f.vector_size);
  return find.has_all();
}

absl::StatusOr<const DuckdbFunctions*> Load() {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::UnavailableError(absl::StrCat(
        "Parquet is written and read by DuckDB, whose ", kLibrary,
        " is not found; put its folder into LD_LIBRARY_PATH, or the file "
        "beside dltap into ../lib (it is in "
        "libduckdb-linux-amd64.zip of DuckDB's releases, and in npm's "
        "@duckdb/node-bindings-linux-x64). dltap export --format csv needs "
        "none"));
  }
  static DuckdbFunctions functions;
  if (!FindAll(library, functions)) {
    return absl::UnavailableError(
        absl::StrCat(kLibrary,
                     " lacks functions that dltap calls; use the "
                     "library of DuckDB 1.2 or newer"));
  }
  return &functions;
}

}  // namespace

absl::StatusOr<const DuckdbFunctions*> LoadDuckdb() {
  static const absl::StatusOr<const DuckdbFunctions*> functions = Load();
  return functions;
}

}  // namespace dltap::analyzer
