// SPDX-License-Identifier: Apache-2.0
// Traces of every released format version still read as they did.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "analyzer/reader/trace_reader.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

class TraceGoldenTest : public ::testing::TestWithParam<const char*> {};

TEST_P(TraceGoldenTest, ReadsAsItDid) {
  const std::string dir = std::string(DLTAP_GOLDEN_DIR) + "/" + GetParam();
  std::vector<std::string> problems;
  const auto model = ReadTrace({dir}, &problems);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_TRUE(problems.empty()) << problems[0];
  std::stringstream expected;
  expected << std::ifstream(dir + "/run.txt").rdbuf();
  EXPECT_EQ(TextFromTrace(*model), expected.str())
      << "see tests/README.md, \"Golden traces\"";
}

// 1.0 tells it by the argument's name, later ones by its meaning.
TEST_P(TraceGoldenTest, LaunchNamesItsKernel) {
  std::vector<std::string> problems;
  const auto model =
      ReadTrace({std::string(DLTAP_GOLDEN_DIR) + "/" + GetParam()}, &problems);
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<Call>& calls = model->processes[0].calls;
  const auto launch = std::ranges::find_if(calls, [&](const Call& call) {
    return model->entry_points[call.entry.value()].symbol == "cudaLaunchKernel";
  });
  ASSERT_NE(launch, calls.end());
  EXPECT_EQ(model->texts[launch->function], "sgemm_128x64");
}

INSTANTIATE_TEST_SUITE_P(
    Versions, TraceGoldenTest,
    ::testing::Values("trace_v1_0", "trace_v1_1", "trace_v1_1_meanings",
                      "trace_v1_2_delays", "trace_v1_3_segments",
                      "trace_v1_4_sites", "trace_v1_5_operations",
                      "trace_v1_6_run_delay", "trace_v1_7_details",
                      "trace_v1_8_switches", "trace_v1_9_frames",
                      "trace_v1_10_file_space"));

}  // namespace
}  // namespace dltap::analyzer
