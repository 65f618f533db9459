// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/graph_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// A replay at `at` us; each letter is a kernel.
std::string Replay(int at, int graph, const std::string& kernels) {
  std::string text;
  for (const char name : kernels) {
    text += "kernel t=" + std::to_string(at) + ".." + std::to_string(at + 1) +
            "us device=0 graph=" + std::to_string(graph) +
            " graph_node=" + std::to_string(10 * graph + name - 'a') +
            " name=" + name + "\n";
    ++at;
  }
  return text;
}

auto FirstGraphsOf(const std::string& replays) {
  const TraceModel model = TraceFromText("device 0 name=gpu\n" + replays);
  return FirstGraphs(model.processes[0]);
}

TEST(GraphKindsTest, AGraphThatIsInstantiatedAnewCarriesOn) {
  EXPECT_THAT(FirstGraphsOf(Replay(0, 5, "ab") + Replay(10, 5, "ab") +
                            Replay(20, 7, "ab") + Replay(30, 9, "ab")),
              UnorderedElementsAre(Pair(5, 5), Pair(7, 5), Pair(9, 5)));
}

TEST(GraphKindsTest, GraphsThatTakeTurnsAreDifferentOnes) {
  // Two equal layers; in the end both are instantiated anew.
  EXPECT_THAT(
      FirstGraphsOf(Replay(0, 1, "ab") + Replay(10, 2, "ab") +
                    Replay(20, 1, "ab") + Replay(30, 2, "ab") +
                    Replay(40, 3, "ab") + Replay(50, 4, "ab") +
                    Replay(60, 3, "ab")),
      UnorderedElementsAre(Pair(1, 1), Pair(2, 2), Pair(3, 1), Pair(4, 2)));
}

TEST(GraphKindsTest, OtherKernelsAreAnotherGraph) {
  EXPECT_THAT(FirstGraphsOf(Replay(0, 1, "ab") + Replay(10, 2, "ac")),
              UnorderedElementsAre(Pair(1, 1), Pair(2, 2)));
}

}  // namespace
}  // namespace dltap::analyzer
