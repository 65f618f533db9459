// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/analyzer/advice/advice_of_text.h"

namespace dltap::analyzer {
namespace {

constexpr int kSteps = 20;

// Steps of 1 ms: a batch comes at `input_us`, is multiplied for 300 us, and
// then all ranks reduce until 985.
std::string RankOf(int rank, int ranks, int input_us) {
  std::string text =
      Line("process pid=", 100 + rank, " host=node0 rank=", rank,
           " world_size=", ranks, " framework=\"torch 2.11.0\"") +
      Line("device 0 name=\"NVIDIA H100 80GB HBM3\" uuid=", rank) +
      Line("call t=0..3us thread=0 ncclCommInitRank comm=1 nranks=", ranks,
           " rank=", rank, " clique=5");
  for (int i = 0; i < kSteps; ++i) {
    const int step = 1000 * (i + 1);
    const int at = step + input_us;
    const int corr = 10 * (i + 1);
    text +=
        Line("range t=", step - 10, "..", step + 989,
             "us thread=0 kind=step name=s") +
        Line("call t=", at - 2, "..", at, "us thread=0 cudaMemcpyAsync") +
        Line("launchapi t=", at - 2, "..", at - 1, "us thread=0 corr=", corr) +
        Line("memcpy t=", at, "..", at + 5, "us device=0 stream=7 corr=", corr,
             " kind=htod src=pinned dst=device bytes=1000") +
        Line("call t=", at + 1, "..", at + 4,
             "us thread=0 cublasSgemm_v2 m=512 n=512 k=512") +
        Line("launchapi t=", at + 2, "..", at + 3,
             "us thread=0 corr=", corr + 1, " ext=", at + 1, "us") +
        Line("kernel t=", at + 5, "..", at + 305,
             "us device=0 stream=7 corr=", corr + 1, " name=sgemm") +
        Line("call t=", at + 6, "..", at + 9,
             "us thread=0 ncclAllReduce comm=1 count=1000000 datatype=7") +
        Line("launchapi t=", at + 7, "..", at + 8,
             "us thread=0 corr=", corr + 2, " ext=", at + 6, "us") +
        Line("kernel t=", at + 306, "..", step + 985,
             "us device=0 stream=7 corr=", corr + 2, " name=ncclDevKernel_Any");
  }
  return text;
}

std::string FourRanks(int input_of_rank_1_us) {
  std::string text;
  for (int rank = 0; rank < 4; ++rank) {
    text += RankOf(rank, 4, rank == 1 ? input_of_rank_1_us : 0);
  }
  return text;
}

TEST(RankAdviceTest, TheRankThatTheOthersWaitForIsAdvisedAlone) {
  const AdviceList list = AdviceOf(FourRanks(570));
  const auto advice = Given(list, "input");
  ASSERT_NE(advice, nullptr) << WhyHeldBack(list, "input");
  ASSERT_TRUE(advice->process);
  EXPECT_EQ(advice->process->rank, 1);
  // It comes 570 us later than the others.
  EXPECT_LE(advice->gain_high_ns, 571'000);
  EXPECT_GE(advice->gain_high_ns, 500'000);
}

TEST(RankAdviceTest, RanksThatAreAllInTimeGetNoAdvice) {
  EXPECT_EQ(AdviceOf(FourRanks(0)).given.size(), 0U);
}

}  // namespace
}  // namespace dltap::analyzer
