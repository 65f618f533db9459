// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/collectives/world_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

using ::testing::ElementsAre;

constexpr char kHead[] = "process pid=41 host=a\ndevice 0 name=gpu\n";

std::string Made(int handle, int ranks, int rank, int clique) {
  return "call t=" + std::to_string(handle) + ".." +
         std::to_string(handle + 1) +
         "us ncclCommInitRank comm=" + std::to_string(handle) +
         " nranks=" + std::to_string(ranks) + " rank=" + std::to_string(rank) +
         " clique=" + std::to_string(clique) + "\n";
}

std::optional<WorldPlace> Found(const std::string& calls) {
  const TraceModel model = TraceFromText(kHead + calls);
  return FindWorldPlace(model, model.processes.front());
}

TEST(WorldPlaceTest, TheLargestCommunicatorIsThatOfAll) {
  const auto found =
      Found(Made(1, 2, 1, 5) + Made(2, 8, 3, 6) + Made(3, 4, 0, 7));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 3);
  EXPECT_EQ(found->ranks, 8);
  EXPECT_EQ(found->id, "id 6");
}

TEST(WorldPlaceTest, OfSeveralOfAllTheOneThatWasMadeFirst) {
  // Handles are addresses: a later communicator may have a lower one.
  const auto made = [](int at, int handle, int clique) {
    return "call t=" + std::to_string(at) + ".." + std::to_string(at + 1) +
           "us ncclCommInitRank comm=" + std::to_string(handle) +
           " nranks=8 rank=3 clique=" + std::to_string(clique) + "\n";
  };
  for (const int second : {1, 9}) {
    const auto found = Found(made(1, 5, 6) + made(2, second, 7));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->id, "id 6");
  }
}

TEST(WorldPlaceTest, NoneOfWhoHasAGpuForEachOfSeveralPlaces) {
  EXPECT_FALSE(Found(Made(1, 2, 0, 5) + Made(2, 2, 1, 5)));
  EXPECT_FALSE(Found(""));
}

RankClaim Claim(std::optional<int> rank, const std::string& id = "",
                int place = 0) {
  RankClaim out{.works = true, .rank = rank};
  if (!id.empty()) out.world = WorldPlace{id, place, 8};
  return out;
}

TEST(WorldPlaceTest, WhoHasNoRankTakesItsPlace) {
  EXPECT_THAT(RankedByWorld({Claim({}, "w", 5), Claim({}, "w", 4), Claim({})}),
              ElementsAre(true, true, false));
}

TEST(WorldPlaceTest, SoDoThoseThatHaveTheRankOfTheirNode) {
  EXPECT_THAT(RankedByWorld({Claim(1, "w", 5), Claim(1, "w", 4)}),
              ElementsAre(true, true));
  EXPECT_THAT(RankedByWorld({Claim(1, "w", 5), Claim(0, "w", 4)}),
              ElementsAre(false, false));
}

TEST(WorldPlaceTest, OneThatDoesNoWorkCountsForNothing) {
  RankClaim launcher = Claim(1);
  launcher.works = false;
  EXPECT_THAT(RankedByWorld({launcher, Claim(1, "w", 5)}),
              ElementsAre(false, false));
}

TEST(WorldPlaceTest, PlacesOfSeveralCommunicatorsAreNoRanks) {
  EXPECT_THAT(RankedByWorld({Claim({}, "a", 0), Claim({}, "b", 1)}),
              ElementsAre(false, false));
  // Started anew: the second has the place of the first.
  EXPECT_THAT(RankedByWorld({Claim({}, "a", 0), Claim({}, "a", 0)}),
              ElementsAre(false, false));
  EXPECT_THAT(RankedByWorld({Claim(0), Claim({}, "a", 0)}),
              ElementsAre(false, false));
}

// Two processes, with a kernel each.
TraceModel TwoProcesses(const std::string& first, const std::string& second) {
  const std::string kernel = "kernel t=50..60us device=0 stream=7 name=k\n";
  return TraceFromText("process pid=41 host=a\ndevice 0 name=gpu\n" + first +
                       kernel + "process pid=42 host=a\ndevice 0 name=gpu\n" +
                       second + kernel);
}

TEST(WorldPlaceTest, RanksAreThoseOfTheCommunicatorInTheWholeModel) {
  TraceModel model = TwoProcesses(Made(1, 2, 1, 5), Made(1, 2, 0, 5));
  RankByWorld(model);
  EXPECT_EQ(model.processes[0].rank, 1);
  EXPECT_EQ(model.processes[0].world_size, 2);
  EXPECT_EQ(model.processes[1].rank, 0);
}

TEST(WorldPlaceTest, RanksOfTheEnvironmentStay) {
  TraceModel model = TwoProcesses(Made(1, 2, 1, 5), Made(1, 2, 0, 5));
  model.processes[0].rank = 0;
  model.processes[1].rank = 1;
  RankByWorld(model);
  EXPECT_EQ(model.processes[0].rank, 0);
  EXPECT_EQ(model.processes[1].rank, 1);
}

}  // namespace
}  // namespace dltap::analyzer
