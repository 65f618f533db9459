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

  int (*appender_create)(void* connection, const char* schema,
                         const char* table, void** appender);
  void* (*appender_column_type)(void* appender, uint64_t column);
  const char* (*appender_error)(void* appender);
  int (*appender_close)(void* appender);
  int (*appender_destroy)(void** appender);
  int (*append_data_chunk)(void* appender, void* chunk);

  void (*destroy_logical_type)(void** type);
  void* (*create_data_chunk)(void** types, uint64_t columns);
  void (*destroy_data_chunk)(void** chunk);
  void (*data_chunk_reset)(void* chunk);
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
