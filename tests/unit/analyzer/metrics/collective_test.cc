// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/metrics/figures/figures.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

// Over the whole run.
Summary SummaryOf(const std::string& text) {
  const TraceModel model = TraceFromText(text);
  Selection selection;
  selection.whole_run = true;
  return Summarise(model, Attribute(model), selection);
}

std::string Span(int64_t begin_us, int64_t end_us) {
  return " t=" + std::to_string(begin_us) + ".." + std::to_string(end_us) +
         "us ";
}

// Writes what one rank did. Its calls come one after the other from time 0 on,
// whenever its kernels run.
class Rank {
 public:
  // `host` names its clock.
  explicit Rank(int rank, int world = 0, const std::string& host = "node0") {
    Line("process pid=" + std::to_string(100 + rank) + " host=" + host +
         " rank=" + std::to_string(rank) +
         (world > 0 ? " world_size=" + std::to_string(world) : ""));
    Line("device 0 name=\"NVIDIA H100 80GB HBM3\" uuid=" +
         std::to_string(rank));
  }

  Rank& Join(int comm, int ranks, int rank, int clique) {
    return Call("ncclCommInitRank comm=" + std::to_string(comm) + " nranks=" +
                std::to_string(ranks) + " rank=" + std::to_string(rank) +
                " clique=" + std::to_string(clique));
  }
  Rank& Split(int comm, int color, int made) {
    return Call("ncclCommSplit comm=" + std::to_string(comm) + " color=" +
                std::to_string(color) + " newcomm=" + std::to_string(made));
  }

  // A million floats.
  Rank& AllReduce(int64_t begin_us, int64_t end_us, int comm = 1) {
    Call("ncclAllReduce comm=" + std::to_string(comm) +
         " count=1000000 datatype=7");
    return Kernel(begin_us, end_us);
  }

  // A thousand floats from rank 0.
  Rank& Broadcast(int64_t begin_us, int64_t end_us) {
    Call("ncclBroadcast comm=1 count=1000 datatype=7 root=0");
    return Kernel(begin_us, end_us);
  }

  // Sends and receives in one kernel: "ncclSend peer=1", ...
  Rank& Group(int64_t begin_us, int64_t end_us,
              const std::vector<std::string>& calls) {
    Call("ncclGroupStart");
    for (const std::string& call : calls) {
      Call(call + " comm=1 count=1000000 datatype=7");
    }
    Call("ncclGroupEnd");
    return Kernel(begin_us, end_us);
  }

  Rank& Compute(int64_t begin_us, int64_t end_us) {
    return Line("kernel" + Span(begin_us, end_us) +
                "device=0 stream=7 name=ampere_sgemm_128x64_nn");
  }

  std::string text() const { return text_; }

 private:
  Rank& Call(const std::string& call) {
    at_us_ += 4;
    return Line("call" + Span(at_us_, at_us_ + 3) + call);
  }
  // Of the last call.
  Rank& Kernel(int64_t begin_us, int64_t end_us) {
    const std::string corr = "corr=" + std::to_string(++correlation_);
    Line("launchapi" + Span(at_us_ + 1, at_us_ + 2) + corr +
         " ext=" + std::to_string(at_us_) + "us");
    return Line("kernel" + Span(begin_us, end_us) +
                "device=0 stream=9 name=ncclDevKernel_Any " + corr);
  }
  Rank& Line(const std::string& line) {
    text_ += line + "\n";
    return *this;
  }

  std::string text_;
  int64_t at_us_ = -4;
  int correlation_ = 0;
};

// The example of METRICS.md, on clocks that differ by `shift_us`.
std::string TwoRanks(int ranks, const std::string& second_host = "node0",
                     int64_t shift_us = 0) {
  Rank first(0);
  first.Join(1, ranks, 0, 5).AllReduce(200, 300).AllReduce(400, 500);
  first.AllReduce(700, 800).AllReduce(1500, 1510);
  Rank second(1, 0, second_host);
  const int64_t s = shift_us;
  second.Join(1, ranks, 1, 5).AllReduce(s + 280, s + 300);
  second.AllReduce(s + 410, s + 500).AllReduce(s + 700, s + 800);
  second.AllReduce(s + 1500, s + 1510);
  return first.text() + second.text();
}

TEST(CollectiveTest, RanksWaitUntilTheLastIsThere) {
  const Summary summary = SummaryOf(TwoRanks(2));
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.collectives.rows.size(), 1u);
  const CollectiveRow& row = figures.collectives.rows[0];
  EXPECT_EQ(row.key.kind, "all_reduce");
  EXPECT_EQ(row.key.communicator, "ranks 0-1");
  EXPECT_EQ(row.key.dtype, "f32");
  EXPECT_EQ(row.key.bytes, 4'000'000);
  EXPECT_EQ(row.sums.count, 8u);
  EXPECT_EQ(row.waiting_ns, 90'000);
  EXPECT_EQ(row.transfer_ns, 440'000);  // 2 x (20 + 90 + 100 + 10) us
  EXPECT_EQ(row.sums.gpu.unknown_ns, 0);
  EXPECT_FALSE(row.is_lower_bound);
  // 8 x 4 MB in 440 us; with two ranks the factor is 1.
  EXPECT_NEAR(*row.algorithm_bandwidth, 32e6 / 440e3, 1e-9);
  EXPECT_NEAR(*row.bus_bandwidth, 32e6 / 440e3, 1e-9);
  EXPECT_NEAR(*row.of_link, 32e6 / 440e3 / 450, 1e-9);
  const Exposures& exposures = figures.program.exposures;
  EXPECT_EQ(exposures.comm_times.waiting_ns, 90'000);
  EXPECT_EQ(exposures.comm_times.transfer_ns, 440'000);
  EXPECT_EQ(figures.devices[0].sums->comm_exposed.waiting_ns, 90'000);
  EXPECT_EQ(figures.devices[1].sums->comm_exposed.waiting_ns, 0);
}

TEST(CollectiveTest, WhoComesLastIsCounted) {
  const Summary summary = SummaryOf(TwoRanks(2));
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.collectives.ranks.size(), 2u);
  const RankRow& late = figures.collectives.ranks[0];
  EXPECT_EQ(late.key.process.rank, 1);
  EXPECT_EQ(late.sums.collectives, 4u);
  EXPECT_EQ(late.sums.last, 2u);
  EXPECT_EQ(late.sums.others_waited_ns, 90'000);
  EXPECT_DOUBLE_EQ(*late.mean_late_ns, 45'000);
  EXPECT_EQ(figures.collectives.ranks[1].sums.waited_ns, 90'000);
  EXPECT_EQ(StragglerOf(figures.collectives), &late);
}

TEST(CollectiveTest, ClocksOfTwoHostsAreAlignedByTheEnds) {
  const Summary summary = SummaryOf(TwoRanks(2, "node1", 123'456));
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.collectives.rows.size(), 1u);
  EXPECT_EQ(figures.collectives.rows[0].waiting_ns, 90'000);
  EXPECT_EQ(figures.collectives.rows[0].transfer_ns, 440'000);
  EXPECT_EQ(figures.collectives.residual_ns, 0);
  // What joins two hosts is not known.
  EXPECT_FALSE(figures.collectives.rows[0].of_link);
}

// Two hosts named "localhost", or the clocks of a simulation.
TEST(CollectiveTest, ClocksOfHostsOfOneNameAreAlignedByNumbers) {
  const Summary summary = SummaryOf(TwoRanks(2, "node0", 123'456));
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.collectives.rows.size(), 1u);
  EXPECT_EQ(figures.collectives.rows[0].waiting_ns, 90'000);
  EXPECT_EQ(figures.collectives.rows[0].transfer_ns, 440'000);
  EXPECT_EQ(figures.collectives.residual_ns, 0);
}

TEST(CollectiveTest, WithoutTheOtherRanksTransferIsUnknown) {
  const Summary summary = SummaryOf(TwoRanks(4));
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.collectives.rows.size(), 1u);
  const CollectiveRow& row = figures.collectives.rows[0];
  EXPECT_EQ(row.key.communicator, "ranks 0-1 of 4");
  EXPECT_EQ(row.waiting_ns, 90'000);  // at least
  EXPECT_FALSE(row.transfer_ns);
  EXPECT_EQ(row.sums.gpu.unknown_ns, 440'000);
  EXPECT_TRUE(row.is_lower_bound);
  EXPECT_NEAR(*row.bus_bandwidth, 1.5 * 32e6 / 530e3, 1e-9);
}

TEST(CollectiveTest, OneRankAloneKnowsNothingOfWaiting) {
  Rank rank(2);
  rank.Join(1, 8, 2, 5).AllReduce(100, 200).AllReduce(300, 400);
  const Summary summary = SummaryOf(rank.text());
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.collectives.rows.size(), 1u);
  const CollectiveRow& row = figures.collectives.rows[0];
  EXPECT_EQ(row.key.communicator, "rank 2 of 8");
  EXPECT_FALSE(row.waiting_ns);
  EXPECT_FALSE(row.transfer_ns);
  EXPECT_NEAR(*row.algorithm_bandwidth, 40, 1e-9);
  EXPECT_NEAR(*row.bus_bandwidth, 70, 1e-9);  // x 2 x 7 / 8
  EXPECT_TRUE(row.is_lower_bound);
  EXPECT_TRUE(figures.collectives.ranks.empty());
  EXPECT_EQ(figures.program.exposures.comm_times.unknown_ns, 200'000);
}

// Every 100 us the same: which of them is which can't be told.
TEST(CollectiveTest, WhatRepeatsEvenlyOnOtherClocksStaysUnknown) {
  Rank first(0);
  Rank second(1, 0, "node1");
  first.Join(1, 2, 0, 5);
  second.Join(1, 2, 1, 5);
  for (int i = 0; i < 10; ++i) {
    first.AllReduce(1000 + 100 * i, 1050 + 100 * i);
    if (i > 0) second.AllReduce(98'000 + 100 * i, 98'050 + 100 * i);
  }
  const Summary summary = SummaryOf(first.text() + second.text());
  const Figures figures = FiguresOf(summary);
  EXPECT_FALSE(figures.collectives.rows[0].waiting_ns);
}

TEST(CollectiveTest, SplitCommunicatorsAreApart) {
  std::string text;
  for (int rank = 0; rank < 4; ++rank) {
    Rank of(rank, 4);
    of.Join(1, 4, rank, 5).Split(1, rank / 2, 2);
    // The second of each pair is 10 and 30 us late.
    const int64_t late = rank % 2 == 0 ? 0 : rank == 1 ? 10 : 30;
    for (int i = 0; i < 3; ++i) {
      of.AllReduce(200 + 100 * i + late, 250 + 100 * i, 2);
    }
    text += of.text();
  }
  const Summary summary = SummaryOf(text);
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.collectives.rows.size(), 2u);
  for (const CollectiveRow& row : figures.collectives.rows) {
    const bool is_first = row.key.communicator == "ranks 0-1";
    EXPECT_TRUE(is_first || row.key.communicator == "ranks 2-3");
    EXPECT_EQ(row.waiting_ns, is_first ? 30'000 : 90'000);
    EXPECT_EQ(row.sums.gpu.unknown_ns, 0);
  }
}

// A pipeline: what a rank waits for is its neighbour alone.
TEST(CollectiveTest, SendsWaitForTheirPeers) {
  Rank first(0);
  Rank second(1);
  Rank third(2);
  first.Join(1, 3, 0, 5);
  second.Join(1, 3, 1, 5);
  third.Join(1, 3, 2, 5);
  for (int i = 0; i < 4; ++i) {
    const int64_t at = 300 + 200 * i;
    first.Group(at, at + 50, {"ncclSend peer=1"});
    second.Group(at + 20, at + 50, {"ncclRecv peer=0"});
    second.Group(at + 60, at + 100, {"ncclSend peer=2"});
    third.Group(at - 40, at + 100, {"ncclRecv peer=1"});
  }
  const Summary summary =
      SummaryOf(first.text() + second.text() + third.text());
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.collectives.rows.size(), 1u);
  const CollectiveRow& row = figures.collectives.rows[0];
  EXPECT_EQ(row.key.kind, "send_receive");
  EXPECT_EQ(row.waiting_ns, 4 * (20'000 + 100'000));
  EXPECT_EQ(row.transfer_ns, 4 * (2 * 30'000 + 2 * 40'000));
}

// The root is done before the others come, so that none of them ran beside it.
TEST(CollectiveTest, ARootIsMatchedAlthoughItLeftEarly) {
  std::string text;
  for (int rank = 0; rank < 3; ++rank) {
    Rank of(rank);
    of.Join(1, 3, rank, 5);
    for (int i = 0; i < 4; ++i) {
      const int64_t at = 1000 + 1000 * i;
      const int64_t late = 200 * rank;
      of.Broadcast(at + late, at + late + 8);
      of.Broadcast(at + late + 10, at + late + 18);
      of.AllReduce(at + late + 20, at + 450);
    }
    text += of.text();
  }
  const Summary summary = SummaryOf(text);
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.collectives.rows.size(), 2u);
  const CollectiveRow& reduce = figures.collectives.rows[0];
  EXPECT_EQ(reduce.waiting_ns, 4 * (400'000 + 200'000));
  EXPECT_EQ(reduce.sums.gpu.unknown_ns, 0);
  const CollectiveRow& broadcast = figures.collectives.rows[1];
  EXPECT_EQ(broadcast.waiting_ns, 0);
  EXPECT_EQ(broadcast.transfer_ns, 24 * 8'000);
  EXPECT_EQ(figures.collectives.ranks[0].key.process.rank, 2);
  EXPECT_EQ(StragglerOf(figures.collectives), &figures.collectives.ranks[0]);
}

TEST(CollectiveTest, OthersWaitForTheRootAlone) {
  Rank root(0);
  Rank second(1);
  Rank third(2);
  root.Join(1, 3, 0, 5);
  second.Join(1, 3, 1, 5);
  third.Join(1, 3, 2, 5);
  for (int i = 0; i < 4; ++i) {
    const int64_t at = 1000 + 1000 * i;
    root.Broadcast(at + 100, at + 110);
    second.Broadcast(at, at + 112);       // waits 100 us
    third.Broadcast(at + 300, at + 308);  // nobody waits for it
  }
  const Summary summary = SummaryOf(root.text() + second.text() + third.text());
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.collectives.rows.size(), 1u);
  EXPECT_EQ(figures.collectives.rows[0].waiting_ns, 400'000);
  EXPECT_EQ(figures.collectives.rows[0].transfer_ns, 4 * (10 + 12 + 8) * 1000);
}

// The n-th message goes with the n-th receive.
TEST(CollectiveTest, ASenderThatLeftEarlyHasNotWaited) {
  Rank first(0);
  Rank second(1);
  Rank third(2);
  first.Join(1, 3, 0, 5);
  second.Join(1, 3, 1, 5);
  third.Join(1, 3, 2, 5);
  for (int i = 0; i < 4; ++i) {
    const int64_t at = 1000 + 1000 * i;
    first.Group(at, at + 10, {"ncclSend peer=1"});
    second.Group(at + 500, at + 510, {"ncclRecv peer=0"});
  }
  const Summary summary =
      SummaryOf(first.text() + second.text() + third.text());
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.collectives.rows.size(), 1u);
  EXPECT_EQ(figures.collectives.rows[0].waiting_ns, 0);
  EXPECT_EQ(figures.collectives.rows[0].transfer_ns, 80'000);
}

TEST(CollectiveTest, SendsToAllAreAllToAll) {
  std::string text;
  for (int rank = 0; rank < 3; ++rank) {
    Rank of(rank);
    of.Join(1, 3, rank, 5);
    std::vector<std::string> calls;
    for (int peer = 0; peer < 3; ++peer) {
      calls.push_back("ncclSend peer=" + std::to_string(peer));
      calls.push_back("ncclRecv peer=" + std::to_string(peer));
    }
    of.Group(200 + 10 * rank, 300, calls);
    text += of.text();
  }
  const Summary summary = SummaryOf(text);
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.collectives.rows.size(), 1u);
  const CollectiveRow& row = figures.collectives.rows[0];
  EXPECT_EQ(row.key.kind, "all_to_all");
  EXPECT_EQ(row.key.bytes, 12'000'000);
  EXPECT_EQ(row.waiting_ns, 30'000);
  EXPECT_EQ(row.transfer_ns, 240'000);
  EXPECT_NEAR(*row.bus_bandwidth, 3 * 12e6 * 2 / 3 / 240e3, 1e-9);
}

// Nothing tells how they were made: ranks of a world that is all here.
TEST(CollectiveTest, WithoutRecordsEndsTellWhoMeets) {
  Rank first(0, 2);
  Rank second(1, 2);
  for (int i = 0; i < 5; ++i) {
    const int64_t at = 100 + 100 * i;
    first.AllReduce(at, at + 50, 77);
    second.AllReduce(at + 10 * i, at + 50, 88);
  }
  const Summary summary = SummaryOf(first.text() + second.text());
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.collectives.rows.size(), 1u);
  EXPECT_EQ(figures.collectives.rows[0].waiting_ns, 100'000);
  EXPECT_EQ(figures.collectives.rows[0].sums.gpu.unknown_ns, 0);
}

// Two pairs in step: a rank's ends agree with those of all the others.
TEST(CollectiveTest, WhoMeetsIsNotGuessed) {
  std::string text;
  for (int rank = 0; rank < 4; ++rank) {
    Rank of(rank);
    for (int i = 0; i < 5; ++i) {
      const int64_t at = 100 + 100 * i;
      of.AllReduce(at + 7 * (rank / 2), at + 50, 2)
          .AllReduce(at + 51, at + 60, 3);
    }
    text += of.text();
  }
  const Summary summary = SummaryOf(text);
  const Figures figures = FiguresOf(summary);
  for (const CollectiveRow& row : figures.collectives.rows) {
    EXPECT_FALSE(row.transfer_ns);
  }
}

// One process drives two GPUs; a group starts a kernel on each.
TEST(CollectiveTest, GpusOfOneProcess) {
  std::string text =
      "device 0 uuid=1\ndevice 1 uuid=2\n"
      "call t=0..3us ncclCommInitAll comm=10 ndev=2\n";
  for (int i = 0; i < 3; ++i) {
    const int64_t at = 10 + 100 * i;
    text += "call" + Span(at, at + 1) + "ncclGroupStart\n";
    for (int gpu = 0; gpu < 2; ++gpu) {
      const std::string corr = " corr=" + std::to_string(2 * i + gpu + 1);
      text += "call" + Span(at + 2 + 2 * gpu, at + 3 + 2 * gpu) +
              "ncclAllReduce comm=" + std::to_string(10 + gpu) +
              " count=1000 datatype=7\n";
      text += "launchapi" + Span(at + 7 + 2 * gpu, at + 8 + 2 * gpu) + corr +
              " ext=" + std::to_string(at + 6) + "us\n";
      text += "kernel" + Span(at + 20 + 10 * gpu, at + 60) +
              "device=" + std::to_string(gpu) +
              " stream=" + std::to_string(9 + gpu) +
              " name=ncclDevKernel_AllReduce" + corr + "\n";
    }
    text += "call" + Span(at + 6, at + 15) + "ncclGroupEnd\n";
  }
  const Summary summary = SummaryOf(text);
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.collectives.rows.size(), 1u);
  const CollectiveRow& row = figures.collectives.rows[0];
  EXPECT_EQ(row.key.communicator, "gpus 0-1");
  EXPECT_EQ(row.key.bytes, 4'000);
  EXPECT_EQ(row.sums.count, 6u);
  EXPECT_EQ(row.waiting_ns, 30'000);
  EXPECT_EQ(row.sums.gpu.unknown_ns, 0);
}

// Only what nothing hides costs the step time.
TEST(CollectiveTest, HiddenWaitingIsNotExposed) {
  Rank first(0);
  first.Join(1, 2, 0, 5).AllReduce(100, 200).Compute(100, 130);
  Rank second(1);
  second.Join(1, 2, 1, 5).AllReduce(160, 200);
  const Summary summary = SummaryOf(first.text() + second.text());
  const Figures figures = FiguresOf(summary);
  EXPECT_EQ(figures.collectives.rows[0].waiting_ns, 60'000);
  const CommTimes& times = figures.program.exposures.comm_times;
  EXPECT_EQ(times.waiting_ns, 30'000);
  EXPECT_EQ(times.transfer_ns, 80'000);
}

// Ranks of one step each: rank 1 computes longer, and the other waits.
TEST(CollectiveTest, TheLimitNamesTheRank) {
  Rank first(0);
  Rank second(1);
  first.Join(1, 2, 0, 5);
  second.Join(1, 2, 1, 5);
  for (int i = 0; i < 5; ++i) {
    const int64_t at = 100 + 100 * i;
    first.Compute(at, at + 10).AllReduce(at + 10, at + 100);
    second.Compute(at, at + 80).AllReduce(at + 80, at + 100);
  }
  const Summary summary = SummaryOf(first.text() + second.text());
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.limits.size(), 1u);
  const Limit& limit = figures.limits[0];
  EXPECT_EQ(limit.kind, LimitKind::kCommunication);
  ASSERT_TRUE(limit.straggler);
  EXPECT_EQ(limit.straggler->process.rank, 1);
  EXPECT_DOUBLE_EQ(*limit.straggler_last_share, 1);
  EXPECT_DOUBLE_EQ(*limit.waiting_step_ns, 350'000);
  // It computes 80 us of 100, the other one 10.
  EXPECT_FALSE(limit.late_fault);
  EXPECT_DOUBLE_EQ(*limit.late_step_ns, 350'000);
}

TEST(CollectiveTest, MergingAddsUp) {
  const Summary one = SummaryOf(TwoRanks(2));
  Summary two = Merge(one, one);
  EXPECT_EQ(two.collectives.rows.begin()->second.count, 16u);
  EXPECT_EQ(Merge(Summary(), one).collectives, one.collectives);
  EXPECT_EQ(Merge(one, Summary()).collectives, one.collectives);
}

}  // namespace
}  // namespace dltap::analyzer
