// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/sm_profile.h"

#include <gtest/gtest.h>

namespace dltap::simgpu {
namespace {

constexpr int kWhole = SmProfile::kWhole;
constexpr int kMostUrgent = 0;

SmProfile::Request Kernel(int64_t begin_ns, int64_t duration_ns, int units) {
  return {.begin_ns = begin_ns, .duration_ns = duration_ns, .units = units};
}

TEST(SmProfile, FullKernelsQueueUp) {
  SmProfile profile(128);
  EXPECT_EQ(100, profile.Add(Kernel(0, 100, kWhole)).end_ns);
  const auto second = profile.Add(Kernel(10, 100, kWhole));
  EXPECT_EQ(100, second.begin_ns);
  EXPECT_EQ(200, second.end_ns);
}

TEST(SmProfile, PartsThatFitRunTogether) {
  SmProfile profile(128);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(100, profile.Add(Kernel(0, 100, kWhole / 4)).end_ns);
  }
  EXPECT_EQ(100, profile.Add(Kernel(0, 100, kWhole / 4)).begin_ns);
}

TEST(SmProfile, LeftoverSlowsDownInProportion) {
  SmProfile profile(128);
  profile.Add(Kernel(0, 100, kWhole * 3 / 4));
  // A quarter for 100 ns is a third of its work, then 3/4 for the rest.
  const auto place = profile.Add(Kernel(0, 150, kWhole * 3 / 4));
  EXPECT_EQ(0, place.begin_ns);
  EXPECT_NEAR(217, static_cast<double>(place.end_ns), 1);
}

TEST(SmProfile, LessThanOneBlockIsNoRoom) {
  SmProfile profile(128);
  profile.Add(Kernel(0, 100, kWhole * 3 / 4));
  SmProfile::Request request = Kernel(0, 50, kWhole);
  request.least_units = kWhole / 2;
  EXPECT_EQ(100, profile.Add(request).begin_ns);
}

TEST(SmProfile, WorkGoesOnAfterWorkThatWasPlacedLater) {
  SmProfile profile(128);
  profile.Add(Kernel(50, 100, kWhole));
  const auto place = profile.Add(Kernel(0, 80, kWhole));
  EXPECT_EQ(0, place.begin_ns);
  EXPECT_EQ(180, place.end_ns);
}

TEST(SmProfile, ResidentKernelsAreLimited) {
  SmProfile profile(2);
  profile.Add(Kernel(0, 100, 1));
  profile.Add(Kernel(0, 50, 1));
  EXPECT_EQ(50, profile.Add(Kernel(0, 10, 1)).begin_ns);
}

TEST(SmProfile, UrgentWorkOvertakesButDoesNotPreempt) {
  SmProfile profile(128);
  profile.Add(Kernel(0, 100, kWhole));    // runs
  profile.Add(Kernel(100, 100, kWhole));  // waits
  SmProfile::Request urgent = Kernel(10, 50, kWhole);
  urgent.level = kMostUrgent;
  urgent.fixed_until_ns = 100;
  const auto place = profile.Add(urgent);
  EXPECT_EQ(100, place.begin_ns);
  EXPECT_EQ(150, place.end_ns);
  // 50 ns of the device are owed from 200 on.
  EXPECT_EQ(250, profile.Add(Kernel(0, 10, kWhole)).begin_ns);
}

TEST(SmProfile, UrgentWorkWaitsForAsUrgentWork) {
  SmProfile profile(128);
  SmProfile::Request urgent = Kernel(0, 50, kWhole);
  urgent.level = kMostUrgent;
  urgent.fixed_until_ns = 0;
  profile.Add(urgent);
  EXPECT_EQ(50, profile.Add(urgent).begin_ns);
}

TEST(SmProfile, LongQueueIsCoarseButKeepsItsLength) {
  SmProfile profile(128);
  int64_t end_ns = 0;
  for (int i = 0; i < 100'000; ++i) {
    // Gaps of 1 ns keep neighbours apart.
    end_ns = profile.Add(Kernel(end_ns + 1, 9, kWhole)).end_ns;
  }
  EXPECT_EQ(1'000'000, end_ns);
  EXPECT_LT(profile.segment_count(), 1000u);
  // A tenth of the queue is free: 50 us of a full kernel take ten times that.
  const auto place = profile.Add(Kernel(0, 50'000, kWhole));
  EXPECT_NEAR(500'000, static_cast<double>(place.end_ns), 10'000);
}

TEST(SmProfile, BookedRoomIsInFewPieces) {
  SmProfile profile(128);
  for (int i = 0; i < 4; ++i) {
    profile.Add(Kernel(i * 100, 50, kWhole * (i + 1) / 8));
  }
  const SmProfile::Request request = Kernel(0, 350, kWhole);
  const auto pieces = profile.Book(request, 3);
  ASSERT_EQ(3u, pieces.size());
  EXPECT_EQ(kWhole * 7 / 8, pieces[0].units);
  EXPECT_EQ(50, pieces[0].place.end_ns);
  EXPECT_EQ(kWhole, pieces[1].units);
  EXPECT_EQ(150, pieces[2].place.end_ns);
  EXPECT_EQ(150, profile.Add(Kernel(0, 10, kWhole)).begin_ns);
}

TEST(SmProfile, NeighboursWithTheSameRoomAreOnePiece) {
  SmProfile profile(128);
  profile.Add(Kernel(0, 100, kWhole / 2));
  profile.Add(Kernel(100, 100, kWhole / 2));
  EXPECT_EQ(1u, profile.Book(Kernel(0, 200, kWhole / 2), 8).size());
}

TEST(SmProfile, WhatIsGivenBackIsFree) {
  SmProfile profile(1);
  const auto pieces = profile.Book(Kernel(0, 100, kWhole), 8);
  ASSERT_EQ(1u, pieces.size());
  profile.GiveBack({{40, 100}, kWhole}, SmProfile::kLevels - 1, 1);
  EXPECT_EQ(40, profile.Add(Kernel(0, 60, kWhole)).begin_ns);
  EXPECT_EQ(100, profile.Add(Kernel(0, 10, kWhole)).begin_ns);
}

TEST(SmProfile, ForgottenTimeCostsNothing) {
  SmProfile profile(128);
  for (int i = 0; i < 100'000; ++i) {
    profile.Add(Kernel(i * 10, 9, kWhole));
    profile.Forget(i * 10);
  }
  EXPECT_LT(profile.segment_count(), 10u);
}

}  // namespace
}  // namespace dltap::simgpu
