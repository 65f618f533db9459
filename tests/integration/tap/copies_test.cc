// SPDX-License-Identifier: Apache-2.0
// Which function does a wrapper lead to? The one that its caller would have
// been bound to without the tap.
#include "gtest/gtest.h"
#include "tests/integration/tap/tapped_program.h"

namespace dltap {
namespace {

struct Case {
  const char* mode;
  uint64_t launches;   // recorded
  uint64_t unwrapped;  // look-ups that were left alone
};

class CopiesTest : public testing::TestWithParam<Case> {};

TEST_P(CopiesTest, EveryCallerIsToldWhatItIsToldWithoutUs) {
  const Case& expected = GetParam();
  TappedProgram program("copies");
  const Outcome bare = program.RunBare({expected.mode});
  EXPECT_NE(bare.output, "");
  const Outcome outcome = program.Run({expected.mode});
  EXPECT_EQ(outcome.output, bare.output);
  EXPECT_EQ(outcome.status, bare.status);
  if (expected.launches == 0) return;
  const analyzer::TraceModel model = program.Read();
  EXPECT_EQ(Recorded(model, "cudaLaunchKernel"), expected.launches);
  EXPECT_EQ(Lost(model, "unwrapped_route"), expected.unwrapped);
}

TEST_P(CopiesTest, ADisabledTapIsAsGoodAsAbsent) {
  TappedProgram program("copies");
  program.With("DLTAP_DISABLE=1");
  const Outcome bare = program.RunBare({GetParam().mode});
  const Outcome outcome = program.Run({GetParam().mode});
  EXPECT_EQ(outcome.output, bare.output);
  EXPECT_EQ(outcome.status, bare.status);
  EXPECT_TRUE(program.Files().empty());
}

TEST(DisabledTest, LookUpsFindTheVendorsOwnFunctions) {
  TappedProgram program("copies");
  program.With("DLTAP_DISABLE=1");
  EXPECT_EQ(program.Run({"owner"}).output, program.RunBare({"owner"}).output);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, CopiesTest,
    testing::Values(Case{"reload", 4, 0}, Case{"reload_lookup", 0, 0},
                    Case{"storm", 0, 0}, Case{"linked", 7, 0},
                    Case{"looked_up", 1, 1}, Case{"inherited", 3, 0},
                    Case{"mock", 2, 2}, Case{"choice", 0, 0},
                    Case{"deepbind", 2, 1}, Case{"namespace", 2, 1}),
    [](const auto& test) { return std::string(test.param.mode); });

class ChainTest : public testing::TestWithParam<const char*> {};

TEST_P(ChainTest, InterposersBeforeAndBehindUsAreCalled) {
  const std::string other =
      std::string(DLTAP_TEST_PROGRAMS "/lib") + GetParam() + ".so";
  for (const bool is_behind : {false, true}) {
    TappedProgram program("versions");
    program.Among(is_behind ? "" : other, is_behind ? other : "");
    const Outcome bare = program.RunBare({});
    EXPECT_EQ(bare.output, "1013000\n");
    EXPECT_EQ(program.Run({}).output, bare.output) << is_behind;
    EXPECT_EQ(Recorded(program.Read(), "cudaLaunchKernel"), 1u) << is_behind;
  }
}

INSTANTIATE_TEST_SUITE_P(Names, ChainTest,
                         testing::Values("tap_interposer", "cudart_log"),
                         [](const auto& test) {
                           return std::string(test.param);
                         });

}  // namespace
}  // namespace dltap
