// SPDX-License-Identifier: Apache-2.0
// How fast the tables of an export of Nsight Systems become a model.
#include <benchmark/benchmark.h>
#include <sqlite3.h>

#include <string>

#include "analyzer/importers/nsys.h"
#include "tests/bench/import_cost.h"
#include "tests/support/temp_dir.h"

namespace dltap::analyzer {
namespace {

constexpr int kLaunches = 200'000;  // each: a range, a call, a kernel
constexpr int kRows = kLaunches * 3;

// With the columns of a real export.
constexpr char kExport[] = R"(
PRAGMA journal_mode=OFF; BEGIN;
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'sgemm'), (2, 'cudaLaunchKernel_v7000');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId,
  greenContextId, streamId, correlationId, globalPid, demangledName, shortName,
  mangledName, launchType, cacheConfig, registersPerThread, gridX, gridY,
  gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory,
  graphNodeId, graphId);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid,
  correlationId, nameId, returnValue, callchainId);
CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid, textId,
  domainId);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 1000 + 500, i * 1000 + 900,
  0, 1, 0, 7, i, 9 << 24, 1, 1, 1, 1, 1, 32, 64 + i % 8, 1, 1, 256, 1, 1, 0, 0,
  NULL, NULL FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 1000, i * 1000 + 300, 0,
  (9 << 24) + 9, i, 2, 0, NULL FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
INSERT INTO NVTX_EVENTS SELECT i * 1000 - 50, i * 1000 + 350, 59,
  'aten::mm, op_id = ' || i, (9 << 24) + 9, NULL, 0 FROM n;
COMMIT;
)";

bool WriteExport(const std::string& path) {
  sqlite3* db = nullptr;
  bool good = sqlite3_open(path.c_str(), &db) == SQLITE_OK;
  for (const char* sql = kExport; good && *sql != '\0';) {
    sqlite3_stmt* statement = nullptr;
    good = sqlite3_prepare_v2(db, sql, -1, &statement, &sql) == SQLITE_OK;
    if (statement == nullptr) break;  // white space at the end
    if (sqlite3_bind_parameter_count(statement) > 0) {
      sqlite3_bind_int(statement, 1, kLaunches);
    }
    while (sqlite3_step(statement) == SQLITE_ROW) {
    }
    sqlite3_finalize(statement);
  }
  sqlite3_close(db);
  return good;
}

void BM_ImportNsys(benchmark::State& state) {
  TempDir dir;
  const std::string path = dir.path() + "/export.sqlite";
  if (!WriteExport(path)) state.SkipWithError("cannot write the export");
  const ImportCost cost;
  for (auto _ : state) {
    TraceModel model;
    const absl::Status status = ImportNsys(path, model);
    if (!status.ok() || model.processes.at(0).activities.size() != kLaunches) {
      state.SkipWithError("the generated export was not imported");
      return;
    }
    benchmark::DoNotOptimize(model);
  }
  state.SetItemsProcessed(state.iterations() * kRows);
  cost.Report(state, kRows);
}
BENCHMARK(BM_ImportNsys)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dltap::analyzer
