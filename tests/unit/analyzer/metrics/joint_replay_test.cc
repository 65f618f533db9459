// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/summary/joint_replay.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "analyzer/metrics/summary/summary.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

constexpr double kInfinitely = std::numeric_limits<double>::infinity();

std::string Span(int64_t begin_us, int64_t end_us) {
  return " t=" + std::to_string(begin_us) + ".." + std::to_string(end_us) +
         "us ";
}

// Rounds of a product and an all-reduce after it, in one stream. A round of
// all ranks together begins every 1,000 us with the launches.
class Rank {
 public:
  Rank(int rank, int ranks, int64_t clock_us = 0) : clock_us_(clock_us) {
    text_ = "process pid=" + std::to_string(100 + rank) +
            " host=node0 rank=" + std::to_string(rank) +
            "\ndevice 0 name=\"NVIDIA H100 80GB HBM3\" uuid=" +
            std::to_string(rank) + "\ncall" + At(0, 3) +
            "ncclCommInitRank comm=1 nranks=" + std::to_string(ranks) +
            " rank=" + std::to_string(rank) + " clique=5\n";
  }

  // The product begins after 20 us and the all-reduce 1 us after it.
  Rank& Round(int64_t product_us, int64_t reduce_ends_us) {
    const int64_t at = 1'000 * ++rounds_;
    const std::string product = std::to_string(2 * rounds_);
    const std::string reduce = std::to_string(2 * rounds_ + 1);
    text_ += "call" + At(at, at + 2) + "cudaLaunchKernel stream=0x0\n";
    text_ += "launchapi" + At(at, at + 2) + "corr=" + product + "\n";
    text_ += "kernel" + At(at + 20, at + 20 + product_us) +
             "device=0 stream=7 name=sgemm corr=" + product + "\n";
    text_ += "call" + At(at + 4, at + 7) +
             "ncclAllReduce comm=1 count=1000000 datatype=7 stream=0x0\n";
    text_ += "launchapi" + At(at + 5, at + 6) + "corr=" + reduce +
             " ext=" + std::to_string(clock_us_ + at + 4) + "us\n";
    text_ += "kernel" + At(at + 21 + product_us, at + reduce_ends_us) +
             "device=0 stream=7 name=ncclDevKernel_Any corr=" + reduce + "\n";
    return *this;
  }

  const std::string& text() const { return text_; }

 private:
  std::string At(int64_t begin_us, int64_t end_us) const {
    return Span(clock_us_ + begin_us, clock_us_ + end_us);
  }

  int64_t clock_us_;
  int rounds_ = 0;
  std::string text_;
};

// What each device saves in its whole run.
std::vector<int64_t> SavedUs(const std::string& text, const Speedup& speedup) {
  const TraceModel model = TraceFromText(text);
  Selection selection;
  selection.whole_run = true;
  selection.scenarios = {{speedup}};
  const Summary summary = Summarise(model, Attribute(model), selection);
  std::vector<int64_t> saved_us;
  for (const DeviceSummary& device : summary.devices) {
    EXPECT_EQ(device.what_if.unsigned_error_ns, 0);
    saved_us.push_back(device.what_if.saved_ns.at({speedup}) / 1000);
  }
  return saved_us;
}

using Saved = std::vector<int64_t>;

// Rank 0 has a product of 10 us and waits 40 us for rank 1; both are done
// after 91 us.
std::string OneRound(int ranks) {
  return Rank(0, ranks).Round(10, 91).text() +
         Rank(1, ranks).Round(50, 91).text();
}

TEST(JointReplayTest, ARankWaitsLessIfTheOthersAreFaster) {
  // Rank 1 is there after 46 us, not 71.
  EXPECT_EQ(SavedUs(OneRound(2), {"gemm", 2}), (Saved{25, 25}));
  // Launched after 5 us, it begins after 25, as long after as the product.
  EXPECT_EQ(SavedUs(OneRound(2), {"gemm", kInfinitely}), (Saved{46, 46}));
}

TEST(JointReplayTest, FasterCommunicationDoesNotBringTheLastRankEarlier) {
  // 10 of the 20 us after it.
  EXPECT_EQ(SavedUs(OneRound(2), {"comm", 2}), (Saved{10, 10}));
}

TEST(JointReplayTest, WithoutAllRanksEachIsReplayedAlone) {
  EXPECT_EQ(SavedUs(OneRound(3), {"gemm", 2}), (Saved{5, 25}));
}

// How much of its kernels is waiting is not known.
TEST(JointReplayTest, WithoutAllRanksFasterCommunicationIsUnknown) {
  for (const int ranks : {2, 3}) {
    const TraceModel model = TraceFromText(OneRound(ranks));
    Selection selection;
    selection.whole_run = true;
    selection.scenarios = {{{"comm", 2}}, {{"gemm", 2}}};
    const Summary summary = Summarise(model, Attribute(model), selection);
    for (const DeviceSummary& device : summary.devices) {
      EXPECT_EQ(device.what_if.saved_ns.size(), ranks == 3 ? 1u : 2u);
    }
  }
}

// In each round another rank is the last: 50 us of a product, or 10 us.
TEST(JointReplayTest, EachRankMayBeTheLast) {
  Rank first(0, 2);
  Rank second(1, 2);
  for (int i = 0; i < 3; ++i) {
    first.Round(10, 91).Round(50, 91);
    second.Round(50, 91).Round(10, 91);
  }
  // The launches lie where they were: of the last round 25 us are gone.
  EXPECT_EQ(SavedUs(first.text() + second.text(), {"gemm", 2}),
            (Saved{25, 25}));
}

TEST(JointReplayTest, RanksMayHaveTheirOwnClocks) {
  Rank first(0, 2);
  Rank second(1, 2, 123'456);
  for (int i = 0; i < 4; ++i) {
    first.Round(10, 91);
    second.Round(50, 91);
  }
  EXPECT_EQ(SavedUs(first.text() + second.text(), {"gemm", 2}),
            (Saved{25, 25}));
  EXPECT_EQ(SavedUs(first.text() + second.text(), {"comm", 2}),
            (Saved{10, 10}));
}

}  // namespace
}  // namespace dltap::analyzer
