// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/clock_map.h"

#include <gtest/gtest.h>

#include "analyzer/model/rank_variables.h"

namespace dltap::analyzer {
namespace {

TEST(ClockMapTest, FollowsEachPieceAndGoesOnBeyondTheEnds) {
  ClockMap map;
  map.Add(2000, 1'000'100);
  map.Add(1000, 1'000'000);
  map.Add(3000, 1'000'300);
  map.Finish();
  EXPECT_EQ(map.ToNs(1000), 1'000'000);
  EXPECT_EQ(map.ToNs(1500), 1'000'050);
  EXPECT_EQ(map.ToNs(2500), 1'000'200);
  EXPECT_EQ(map.ToNs(4000), 1'000'500);
  EXPECT_EQ(map.ToNs(0), 999'900);
  EXPECT_EQ(map.ToNs(1500), 1'000'050);
}

TEST(ClockMapTest, OneAnchorUsesTheNominalRate) {
  ClockMap map;
  map.SetNsPerUnit(0.5);
  map.Add(1000, 70);
  map.Finish();
  EXPECT_EQ(map.ToNs(1100), 120);
  EXPECT_EQ(map.ToNs(900), 20);
}

TEST(ClockMapTest, AnchorsThatRunBackwardsAreLeftOut) {
  ClockMap map;
  map.Add(1000, 1000);
  map.Add(2000, 900);
  map.Add(2000, 2000);
  map.Add(3000, 3000);
  map.Finish();
  EXPECT_EQ(map.anchors(), 3);
  EXPECT_EQ(map.ToNs(2500), 2500);
}

TEST(ClockMapTest, ResidualIsTheDistanceFromTheNeighboursLine) {
  ClockMap map;
  for (const int64_t i : {0, 1, 2, 3, 4}) {
    map.Add(1000 * i, 1000 * i + (i == 2 ? 40 : 0));
  }
  map.Finish();
  EXPECT_EQ(map.ResidualNs(), 40);
}

TEST(RankVariablesTest, TorchrunWinsAndNonsenseIsIgnored) {
  constexpr std::string_view kBoth("SLURM_PROCID=5\0RANK=2\0", 22);
  EXPECT_EQ(ParseRankVariables(kBoth).rank, 2);
  constexpr std::string_view kSlurm("SLURM_PROCID=5\0SLURM_NTASKS=6\0", 30);
  EXPECT_EQ(ParseRankVariables(kSlurm).rank, 5);
  EXPECT_EQ(ParseRankVariables(kSlurm).world_size, 6);
  // What a batch script has is not what mpirun tells its processes.
  constexpr std::string_view kMpirun(
      "SLURM_NTASKS=1\0SLURM_PROCID=0\0OMPI_COMM_WORLD_RANK=5\0"
      "OMPI_COMM_WORLD_SIZE=6\0",
      76);
  EXPECT_EQ(ParseRankVariables(kMpirun).rank, 5);
  EXPECT_EQ(ParseRankVariables(kMpirun).world_size, 6);
  constexpr std::string_view kTorchrun(
      "RANK=2\0SLURM_PROCID=0\0SLURM_NTASKS=1\0", 37);
  EXPECT_EQ(ParseRankVariables(kTorchrun).world_size, std::nullopt);
  // Of who does not say how many there are, another may tell it.
  constexpr std::string_view kPmix(
      "PMIX_RANK=5\0SLURM_PROCID=5\0SLURM_NTASKS=6\0", 42);
  EXPECT_EQ(ParseRankVariables(kPmix).rank, 5);
  EXPECT_EQ(ParseRankVariables(kPmix).world_size, 6);
  constexpr std::string_view kPrun(
      "PMIX_RANK=5\0SLURM_PROCID=0\0SLURM_NTASKS=1\0", 42);
  EXPECT_EQ(ParseRankVariables(kPrun).rank, 5);
  EXPECT_EQ(ParseRankVariables(kPrun).world_size, std::nullopt);
  constexpr std::string_view kBad("RANK=x\0RANKING=3", 16);
  EXPECT_EQ(ParseRankVariables(kBad).rank, std::nullopt);
  EXPECT_EQ(ParseRankVariables("").rank, std::nullopt);
}

}  // namespace
}  // namespace dltap::analyzer
