// SPDX-License-Identifier: Apache-2.0
// Good SQLite files with any rows: any values and types in the columns that
// the importer reads, any columns missing. Input: {u8 table, u8 columns left
// out, {u8 type and small value | 8 bytes}*}*.
#include <sqlite3.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "analyzer/importers/nsys.h"
#include "analyzer/reader/text/trace_printer.h"
#include "tests/fuzz/input_file.h"

namespace {

struct Table {
  const char* name;
  std::vector<const char*> columns;
};

const std::vector<Table>& Tables() {
  static const std::vector<Table> tables = {
      {"StringIds", {"id", "value"}},
      {"CUPTI_ACTIVITY_KIND_KERNEL",
       {"start", "end", "globalPid", "deviceId", "streamId", "correlationId",
        "demangledName", "gridX", "registersPerThread", "graphNodeId"}},
      {"CUPTI_ACTIVITY_KIND_MEMCPY",
       {"start", "end", "globalPid", "deviceId", "bytes", "copyKind",
        "srcKind"}},
      {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
       {"start", "end", "globalPid", "deviceId", "graphId"}},
      {"CUPTI_ACTIVITY_KIND_RUNTIME",
       {"start", "end", "globalTid", "correlationId", "nameId", "returnValue"}},
      {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
       {"start", "end", "globalPid", "deviceId", "streamId", "syncType",
        "eventId"}},
      {"NVTX_EVENTS",
       {"start", "end", "globalTid", "eventType", "text", "textId",
        "domainId"}},
      {"SCHED_EVENTS", {"start", "globalTid", "isSchedIn"}},
      {"ThreadNames", {"nameId", "globalTid"}},
      {"PROCESSES", {"globalPid", "name"}},
      {"TARGET_INFO_GPU", {"id", "cuDevice", "name", "uuid", "smCount"}},
      {"TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid"}},
      {"TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}},
      {"META_DATA_CAPTURE", {"name", "value"}},
  };
  return tables;
}

class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  bool AtEnd() const { return size_ == 0; }
  uint8_t Byte() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  int64_t Wide() {
    int64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | Byte();
    return value;
  }

 private:
  const uint8_t* data_;
  size_t size_;
};

std::string Value(Input& input) {
  const uint8_t kind = input.Byte();
  switch (kind % 8) {
    case 0: return "NULL";
    case 1: return std::to_string(input.Wide());
    case 2: return "'aten::mm, op_id = " + std::to_string(kind) + "'";
    case 3: return "x'ff00fe'";
    case 4: return "1.5e300";
    case 5: return "59";  // a push and pop of NVTX
    default: return std::to_string(kind * 1000);
  }
}

std::string Script(Input& input) {
  std::string sql = "BEGIN;";
  for (int rows = 0; rows < 200 && !input.AtEnd(); ++rows) {
    const Table& table = Tables()[input.Byte() % Tables().size()];
    const uint8_t left_out = input.Byte();
    std::string columns, values;
    for (size_t i = 0; i < table.columns.size(); ++i) {
      if (i < 8 && left_out % 4 == 3 && ((left_out >> i) & 1) != 0) continue;
      columns += (columns.empty() ? "\"" : ",\"") +
                 std::string(table.columns[i]) + '"';
      values += (values.empty() ? "" : ",") + Value(input);
    }
    if (columns.empty()) continue;
    // The first row of a table decides which columns it has.
    sql += std::string("CREATE TABLE IF NOT EXISTS ") + table.name + " (" +
           columns + ");INSERT OR IGNORE INTO " + table.name + " (" + columns +
           ") VALUES (" + values + ");";
  }
  return sql + "COMMIT;";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dltap::analyzer;
  Input input(data, size);
  const std::string path = dltap::InputFile(nullptr, 0);
  sqlite3* db = nullptr;
  if (sqlite3_open(path.c_str(), &db) != SQLITE_OK) abort();
  sqlite3_exec(db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF", nullptr,
               nullptr, nullptr);
  // A row with columns that an earlier row's table lacks fails alone.
  std::string script = Script(input);
  for (size_t at = 0; at < script.size();) {
    const size_t end = script.find(';', at) + 1;
    sqlite3_exec(db, script.substr(at, end - at).c_str(), nullptr, nullptr,
                 nullptr);
    at = end;
  }
  sqlite3_close(db);
  TraceModel model;
  std::vector<std::string> problems;
  if (!ImportNsys(path, model, {&problems, {}}).ok()) return 0;
  Normalise(model);
  PrintTrace(
      model, {}, [](std::string_view, void*) { return true; }, nullptr);
  return 0;
}
