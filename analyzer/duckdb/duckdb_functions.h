// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_DUCKDB_DUCKDB_FUNCTIONS_H_
#define DLTAP_ANALYZER_DUCKDB_DUCKDB_FUNCTIONS_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace dltap::analyzer {

// The functions of DuckDB's C interface (duckdb.h of DuckDB 1.2) that we call.
// Its handles are pointers; a state of 0 is success.
struct DuckdbFunctions {
  // What a query fills; none of its fields is for us.
  struct Result {
    void* fields[6] = {};
  };

  int (*open)(const char* path, void** database);
  void (*close)(void** database);
  int (*connect)(void* database, void** connection);
  void (*disconnect)(void** connection);
  void (*free)(void* memory);

  int (*query)(void* connection, const char* sql, Result* result);
  const char* (*result_error)(Result* result);
  void (*destroy_result)(Result* result);
  uint64_t (*column_count)(Result* result);
  const char* (*column_name)(Result* result, uint64_t column);
  int (*column_type)(Result* result, uint64_t column);
  uint64_t (*row_count)(Result* result);
  bool (*value_is_null)(Result* result, uint64_t column, uint64_t row);
  bool (*value_boolean)(Result* result, uint64_t column, uint64_t row);
  int64_t (*value_int64)(Result* result, uint64_t column, uint64_t row);
  double (*value_double)(Result* result, uint64_t column, uint64_t row);
  char* (*value_varchar)(Result* result, uint64_t column, uint64_t row);

  void* (*get_profiling_info)(void* connection);
  void* (*profiling_info_get_value)(void* info, const char* key);
  int64_t (*get_int64)(void* value);
  void (*destroy_value)(void** value);

  void* (*create_logical_type)(int type);
  void* (*create_enum_type)(const char** names, uint64_t count);
  void (*destroy_logical_type)(void** type);

  void* (*create_table_function)();
  void (*table_function_set_name)(void* function, const char* name);
  void (*table_function_set_extra_info)(void* function, void* extra,
                                        void (*destroy)(void*));
  void (*table_function_set_bind)(void* function, void (*bind)(void* info));
  void (*table_function_set_init)(void* function, void (*init)(void* info));
  void (*table_function_set_function)(void* function,
                                      void (*next)(void* info, void* chunk));
  int (*register_table_function)(void* connection, void* function);
  void (*destroy_table_function)(void** function);
  void* (*bind_get_extra_info)(void* info);
  void (*bind_add_result_column)(void* info, const char* name, void* type);
  void (*bind_set_cardinality)(void* info, uint64_t rows, bool is_exact);
  void* (*init_get_extra_info)(void* info);
  void (*init_set_max_threads)(void* info, uint64_t threads);
  void* (*function_get_extra_info)(void* info);

  void (*data_chunk_set_size)(void* chunk, uint64_t rows);
  void* (*data_chunk_get_vector)(void* chunk, uint64_t column);
  void* (*vector_get_data)(void* vector);
  void (*vector_ensure_validity_writable)(void* vector);
  uint64_t* (*vector_get_validity)(void* vector);
  uint64_t (*vector_size)();
};

// Opens libduckdb.so, once. kUnavailable: there is none, or none that fits.
absl::StatusOr<const DuckdbFunctions*> LoadDuckdb();

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_DUCKDB_DUCKDB_FUNCTIONS_H_
