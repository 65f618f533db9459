// SPDX-License-Identifier: Apache-2.0
#include "opmodel/collective_time.h"

#include <gtest/gtest.h>

namespace dltap::opmodel {
namespace {

using enum CollectiveKind;
constexpr auto kRing = CollectiveAlgorithm::kRing;
constexpr auto kTree = CollectiveAlgorithm::kTree;
constexpr auto kLl = CollectiveProtocol::kLl;
constexpr auto kSimple = CollectiveProtocol::kSimple;

const GpuSpec& H100() { return *FindGpu("h100-sxm"); }
const Link& Ethernet() { return *FindLink("10GbE"); }

double Ns(CollectiveKind kind, double bytes, int ranks, const Link& link,
          CollectiveAlgorithm algorithm, CollectiveProtocol protocol) {
  return TimeOfCandidate(kind, bytes, ranks, link, H100(), algorithm, protocol)
      .ns;
}

TEST(CollectiveTimeTest, StartAndHopsOfSmallMessages) {
  // Base 6.6 us, 2 (4 - 1) hops of 2.7 us over a network with LL.
  EXPECT_DOUBLE_EQ(Ns(kAllReduce, 0, 4, Ethernet(), kRing, kLl), 22'800);
  EXPECT_DOUBLE_EQ(Ns(kAllGather, 0, 4, Ethernet(), kRing, kLl), 14'700);
  EXPECT_DOUBLE_EQ(Ns(kAllToAll, 0, 4, Ethernet(), kRing, kLl), 9'300);
  // A tree over 8 ranks is 3 deep: 6.8 us and 2 x 3 hops of 5.0 us.
  EXPECT_DOUBLE_EQ(Ns(kAllReduce, 0, 8, Ethernet(), kTree, kLl), 36'800);
}

TEST(CollectiveTimeTest, WireTimeOfLargeMessages) {
  // 1 GB at 1.25 GB/s, times 2 (n - 1) / n; less than 1 ms is latency.
  EXPECT_NEAR(Ns(kAllReduce, 1e9, 4, Ethernet(), kRing, kSimple), 1.2e9, 1e6);
  EXPECT_NEAR(Ns(kAllGather, 1e9, 4, Ethernet(), kRing, kSimple), 0.6e9, 1e6);
  EXPECT_NEAR(Ns(kBroadcast, 1e9, 4, Ethernet(), kRing, kSimple), 0.8e9, 1e6);
  // LL halves what the link carries of data.
  EXPECT_NEAR(Ns(kAllReduce, 1e9, 4, Ethernet(), kRing, kLl), 2.4e9, 1e6);
}

TEST(CollectiveTimeTest, LinksAreOrderedByBandwidth) {
  double before = 0;
  for (const char* name : {"nvlink", "pcie", "ib", "100GbE", "10GbE", "1GbE"}) {
    const double ns =
        TimeOfCollective(kAllReduce, 1e8, 8, *FindLink(name), H100()).ns;
    EXPECT_GT(ns, before) << name;
    before = ns;
  }
  EXPECT_EQ(FindLink("token-ring"), nullptr);
}

TEST(CollectiveTimeTest, TheOwnLinkOfTheGpuCounts) {
  EXPECT_EQ(DefaultLink(H100()).name, "nvlink");
  EXPECT_EQ(DefaultLink(*FindGpu("l4")).name, "pcie");
  EXPECT_DOUBLE_EQ(LinkBandwidth(DefaultLink(H100()), H100()),
                   H100().nvlink_bytes_per_s);
  // NVLink asked for where there is none is PCIe.
  EXPECT_DOUBLE_EQ(LinkBandwidth(*FindLink("nvlink"), *FindGpu("l4")),
                   FindGpu("l4")->pcie_bytes_per_s);
}

TEST(CollectiveTimeTest, ProtocolAndAlgorithmFollowTheSize) {
  const auto choice = [](double bytes, int ranks) {
    return TimeOfCollective(kAllReduce, bytes, ranks, Ethernet(), H100());
  };
  EXPECT_EQ(choice(8, 64).algorithm, kTree);
  EXPECT_EQ(choice(1e9, 64).algorithm, kRing);
  EXPECT_EQ(choice(8, 2).algorithm, kRing);
  EXPECT_EQ(choice(8, 4).protocol, kLl);
  EXPECT_EQ(choice(1e9, 4).protocol, kSimple);
}

// Of aiconfigurator's table (NCCL 2.27): from 256 bytes to 512 MiB.
TEST(CollectiveTimeTest, CollectivesOfA100sTakeWhatWasMeasured) {
  struct Measured {
    CollectiveKind kind;
    int ranks;
    double bytes;
    double us;
  };
  constexpr double kKib = 1024;
  constexpr Measured kRows[] = {
      {kAllReduce, 8, 512, 22},
      {kAllReduce, 8, 1024 * kKib, 39},
      {kAllReduce, 8, 65536 * kKib, 595},
      {kAllReduce, 8, 524288 * kKib, 4226},
      {kAllReduce, 2, 524288 * kKib, 2781},
      {kAllGather, 4, 512, 11},
      {kAllGather, 4, 16384 * kKib, 118},
      {kReduceScatter, 8, 262144 * kKib, 1150},
      {kAllToAll, 4, 131072 * kKib, 574},
  };
  const GpuSpec& gpu = *FindGpu("a100-40-sxm");
  for (const Measured& row : kRows) {
    EXPECT_NEAR(TimeOfCollective(row.kind, row.bytes, row.ranks,
                                 DefaultLink(gpu), gpu)
                        .ns /
                    (row.us * 1e3),
                1, 0.25)
        << row.ranks << " ranks, " << row.bytes << " bytes";
  }
}

TEST(CollectiveTimeTest, ASingleRankPaysTheStartOnly) {
  const auto alone = TimeOfCollective(kAllReduce, 1e9, 1, Ethernet(), H100());
  EXPECT_DOUBLE_EQ(alone.ns, alone.start_ns);
}

TEST(CollectiveTimeTest, BusFactorsAreThoseOfNcclTests) {
  EXPECT_DOUBLE_EQ(BusFactor(kAllReduce, 4), 1.5);
  EXPECT_DOUBLE_EQ(BusFactor(kReduceScatter, 4), 0.75);
  EXPECT_DOUBLE_EQ(BusFactor(kAllToAll, 4), 0.75);
  EXPECT_DOUBLE_EQ(BusFactor(kBroadcast, 4), 1);
  EXPECT_DOUBLE_EQ(BusFactor(kAllReduce, 1), 0);
}

}  // namespace
}  // namespace dltap::opmodel
