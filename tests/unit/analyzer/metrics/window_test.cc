// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Four steps of 100 us, with a kernel from the 10th to the 30th; in those of
// `ending` recording is off from the 50th us on.
std::vector<std::pair<int64_t, int64_t>> Windows(
    const std::vector<int>& ending) {
  std::string text = "device 0 name=gpu\n";
  Steps steps{StepsFoundBy::kPeriod, {}};
  for (int i = 0; i < 4; ++i) {
    const auto at = [i](int us) { return std::to_string(100 * i + us); };
    const std::string corr = " corr=" + std::to_string(i + 1);
    text += "call t=" + at(0) + ".." + at(3) +
            "us thread=0 cudaLaunchKernel\nlaunchapi t=" + at(1) + ".." +
            at(2) + "us thread=0" + corr + "\nkernel t=" + at(10) + ".." +
            at(30) + "us device=0 name=gelu" + corr + "\n";
    steps.steps.push_back({i * 100'000, (i + 1) * 100'000});
  }
  for (const int i : ending) {
    text += "not_observed t=" + std::to_string(100 * i + 50) + ".." +
            std::to_string(100 * i + 100) + "us device=0 cause=recording_off\n";
  }
  const TraceModel model = TraceFromText(text);
  const Attribution attribution = Attribute(model);
  std::vector<std::pair<int64_t, int64_t>> spans;
  for (const StepWindow& window : AllStepWindows(
           model.processes[0], attribution.processes[0], steps, DeviceId(0))) {
    spans.emplace_back(window.span.begin_ns / 1000, window.span.end_ns / 1000);
  }
  return spans;
}

TEST(WindowTest, StepsEndWithTheRangeAroundThem) {
  EXPECT_THAT(Windows({0, 1, 2, 3}),
              ElementsAre(Pair(10, 50), Pair(110, 150), Pair(210, 250),
                          Pair(310, 350)));
}

TEST(WindowTest, RecordingThatEndsOnceEndsNoStep) {
  EXPECT_THAT(Windows({1}), ElementsAre(Pair(10, 110), Pair(110, 210),
                                        Pair(210, 310), Pair(310, 400)));
}

}  // namespace
}  // namespace dltap::analyzer
