// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/kineto.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temp_dir.h"

namespace dltap::analyzer {
namespace {

constexpr char kOneLaunch[] = R"({"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": "41", "tid": "42",
 "ts": 1725375309123456.789, "dur": 9.5,
 "args": {"External id": 5, "Input Dims": [[8, 3], [3, 5]],
          "Input type": ["float", "float"]}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": "41",
 "tid": "42", "ts": 1725375309123457.789, "dur": 2,
 "args": {"correlation": 9}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7,
 "ts": 1725375309123460.790, "dur": 4.25,
 "args": {"External id": 5, "correlation": 9, "device": 0, "stream": 7}}
]})";

absl::Status Import(std::string_view json, TraceModel& model) {
  const TempDir dir;
  return ImportKineto(dir.Write("trace.json", json), model);
}

// The first process; ends the test when the import fails.
Process Imported(std::string_view json) {
  TraceModel model;
  const absl::Status status = Import(json, model);
  EXPECT_TRUE(status.ok()) << status.message();
  return status.ok() ? model.processes.at(0) : Process{};
}

std::string Kernel(const std::string& members) {
  return R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", )"
         R"("pid": 0, "tid": 7, )" +
         members + "}]}";
}

TEST(KinetoTest, OneLaunchWithItsOperator) {
  const Process process = Imported(kOneLaunch);
  EXPECT_EQ(process.pid, 41);
  ASSERT_EQ(process.calls.size(), 1);
  EXPECT_EQ(process.calls[0].correlation, 9);
  ASSERT_EQ(process.ranges.size(), 1);
  EXPECT_TRUE(process.ranges[0].operation.known());
  ASSERT_EQ(process.activities.size(), 1);
  const Activity& kernel = process.activities[0];
  EXPECT_EQ(kernel.begin_ns, 1725375309123460790);
  EXPECT_EQ(kernel.end_ns - kernel.begin_ns, 4250);
  EXPECT_EQ(kernel.annotation.value(), 0);
  EXPECT_EQ(process.threads.at(0).tid, 42);
}

TEST(KinetoTest, AKernelWithoutExternalIdHasNoOperator) {
  const Process process = Imported(Kernel(R"("ts": 1, "dur": 2)"));
  ASSERT_EQ(process.activities.size(), 1);
  EXPECT_FALSE(process.activities[0].annotation.known());
}

TEST(KinetoTest, EventsWithoutUsableTimesAreCountedAsLost) {
  for (const char* times :
       {R"("ts": 1)", R"("ts": 1, "dur": -2)", R"("ts": "x", "dur": 2)",
        R"("ts": 9223372036854775807, "dur": 1)"}) {
    const Process process = Imported(Kernel(times));
    EXPECT_TRUE(process.activities.empty()) << times;
    ASSERT_EQ(process.losses.size(), 1);
    EXPECT_EQ(process.losses[0].count, 1) << times;
  }
}

TEST(KinetoTest, BrokenEscapesOfOldProfilersAreTakenAsTheyStand) {
  TraceModel model;
  ASSERT_TRUE(Import(R"({"traceEvents": [{"ph": "X", "cat": "Kernel",
      "name": "C:\qernel", "pid": 0, "tid": 7, "ts": 1, "dur": 2}]})",
                     model)
                  .ok());
  const Process& process = model.processes.at(0);
  ASSERT_EQ(process.activities.size(), 1);
  EXPECT_EQ(model.texts[process.activities[0].name], "C:\\qernel");
}

TEST(KinetoTest, EveryTruncationIsAnError) {
  const std::string_view whole(kOneLaunch);
  for (size_t size = 0; size < whole.size(); ++size) {
    TraceModel model;
    EXPECT_FALSE(Import(whole.substr(0, size), model).ok()) << size;
  }
}

TEST(KinetoTest, JsonThatIsNoTraceIsRefused) {
  for (const char* json :
       {"{}", R"({"a": [1, 2]})", "[]", "7", "null", R"({"traceEvents": 7})"}) {
    TraceModel model;
    EXPECT_FALSE(Import(json, model).ok()) << json;
  }
}

TEST(KinetoTest, NoEventsAreAnEmptyProcess) {
  const Process process = Imported(R"({"traceEvents": []})");
  EXPECT_TRUE(process.activities.empty());
  EXPECT_TRUE(process.calls.empty());
}

}  // namespace
}  // namespace dltap::analyzer
