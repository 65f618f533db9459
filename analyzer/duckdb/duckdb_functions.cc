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
  find("duckdb_create_logical_type", f.create_logical_type);
  find("duckdb_create_enum_type", f.create_enum_type);
  find("duckdb_destroy_logical_type", f.destroy_logical_type);
  find("duckdb_create_table_function", f.create_table_function);
  find("duckdb_table_function_set_name", f.table_function_set_name);
  find("duckdb_table_function_set_extra_info", f.table_function_set_extra_info);
  find("duckdb_table_function_set_bind", f.table_function_set_bind);
  find("duckdb_table_function_set_init", f.table_function_set_init);
  find("duckdb_table_function_set_function", f.table_function_set_function);
  find("duckdb_register_table_function", f.register_table_function);
  find("duckdb_destroy_table_function", f.destroy_table_function);
  find("duckdb_bind_get_extra_info", f.bind_get_extra_info);
  find("duckdb_bind_add_result_column", f.bind_add_result_column);
  find("duckdb_bind_set_cardinality", f.bind_set_cardinality);
  find("duckdb_init_get_extra_info", f.init_get_extra_info);
  find("duckdb_init_set_max_threads", f.init_set_max_threads);
  find("duckdb_function_get_extra_info", f.function_get_extra_info);
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
