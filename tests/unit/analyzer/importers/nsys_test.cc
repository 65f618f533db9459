// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/nsys.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

#include "tests/support/temp_dir.h"

namespace dltap::analyzer {
namespace {

// Process 5, thread 6 of machine 0.
constexpr char kProcess[] = "83886080";
constexpr char kThread[] = "83886086";

constexpr char kNames[] =
    "CREATE TABLE StringIds(id INTEGER, value TEXT);"
    "INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel_v7000');";

std::string RuntimeOf(const std::string& thread) {
  return "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER,"
         " globalTid INTEGER, correlationId INTEGER, nameId INTEGER);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 2, " +
         thread + ", 9, 2);";
}

// Without the column globalPid.
constexpr char kKernels[] =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER,"
    " deviceId INTEGER, streamId INTEGER, correlationId INTEGER,"
    " shortName INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5, 9, 0, 7, 9, 1);";

TraceModel Imported(const std::string& sql) {
  const TempDir dir;
  const std::string path = dir.path() + "/t.sqlite";
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(db);
  sqlite3_close(db);
  TraceModel model;
  const absl::Status status = ImportNsys(path, model);
  EXPECT_TRUE(status.ok()) << status.message();
  return model;
}

TEST(NsysTest, EventsThatNameNoProcessAreThoseOfTheOnlyOne) {
  const TraceModel model = Imported(kNames + RuntimeOf(kThread) + kKernels);
  ASSERT_EQ(model.processes.size(), 1u);
  EXPECT_EQ(model.processes[0].pid, 5);
  EXPECT_EQ(model.processes[0].calls.size(), 1u);
  ASSERT_EQ(model.processes[0].activities.size(), 1u);
  EXPECT_EQ(model.processes[0].activities[0].correlation, 9u);
}

TEST(NsysTest, FunctionsHaveTheNamesThatProgramsCallThemBy) {
  const TraceModel model = Imported(kNames + RuntimeOf(kThread) + kKernels);
  ASSERT_EQ(model.entry_points.size(), 1u);
  EXPECT_EQ(model.entry_points[0].symbol, "cudaLaunchKernel");
}

TEST(NsysTest, EventsThatNameNoProcessAreNobodysAmongSeveral) {
  const TraceModel model =
      Imported(kNames + RuntimeOf(kThread) + kKernels +
               "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
               " (0, 2, 100663299, 9, 2);");
  ASSERT_EQ(model.processes.size(), 3u);
  EXPECT_EQ(model.processes[0].pid, 0);
  EXPECT_EQ(model.processes[0].activities.size(), 1u);
}

TEST(NsysTest, GpusOfExportsBeforeTheMiddleOf2021AreKnown) {
  const TraceModel model = Imported(
      std::string(kNames) +
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER,"
      " deviceId INTEGER, globalPid INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5, 9, 1, " +
      kProcess +
      ");"
      "CREATE TABLE TARGET_INFO_CUDA_GPU(deviceId INTEGER, name TEXT,"
      " numMultiprocessors INTEGER, globalMemorySize INTEGER,"
      " computeCapabilityMajor INTEGER, computeCapabilityMinor INTEGER);"
      "INSERT INTO TARGET_INFO_CUDA_GPU VALUES (0, 'P4', 20, 1, 6, 1),"
      " (1, 'Tesla V100-SXM2-16GB', 80, 16945512448, 7, 0);");
  ASSERT_EQ(model.processes.at(0).devices.size(), 1u);
  const Device& gpu = model.processes[0].devices[0];
  EXPECT_EQ(gpu.ordinal, 1);
  EXPECT_EQ(gpu.name, "Tesla V100-SXM2-16GB");
  EXPECT_EQ(gpu.sms, 80);
  EXPECT_EQ(gpu.memory_bytes, 16945512448);
  EXPECT_EQ(gpu.compute_major * 10 + gpu.compute_minor, 70);
}

}  // namespace
}  // namespace dltap::analyzer
