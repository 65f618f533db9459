// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/clock.h"

#include "gtest/gtest.h"

namespace dltap::shim {
namespace {

uint64_t g_activity_ns = 0;

int32_t FakeTimestamp(uint64_t* now) {
  *now = g_activity_ns;
  return 0;
}

TEST(ClockTest, MonotonicNeedsNoCycleCounter) {
  EXPECT_EQ(ChooseClock(ClockKind::kMonotonic, nullptr), ClockKind::kMonotonic);
  const uint64_t before = MonotonicNs();
  const uint64_t ticks = Ticks();
  EXPECT_GE(ticks, before);
  EXPECT_LE(ticks, MonotonicNs());
}

TEST(ClockTest, ActivityTimeIsTakenAsItIs) {
  EXPECT_EQ(ChooseClock(ClockKind::kActivity, FakeTimestamp),
            ClockKind::kActivity);
  g_activity_ns = 123456;
  EXPECT_EQ(Ticks(), 123456u);
  EXPECT_EQ(ReadClocks().activity_ns, 123456u);
}

TEST(ClockTest, ActivityClockWithoutASourceFallsBack) {
  EXPECT_NE(ChooseClock(ClockKind::kActivity, nullptr), ClockKind::kActivity);
}

TEST(ClockTest, RateComesFromTwoReadings) {
  ChooseClock(ClockKind::kTsc, nullptr);
  ClockReading first = {};
  ClockReading second = {};
  first.ticks = 1'000;
  second.ticks = 3'001'000;
  first.monotonic_ns = 50;
  second.monotonic_ns = 1'000'050;
  EXPECT_EQ(TicksPerSecond(first, second), 3'000'000'000u);
  EXPECT_EQ(TicksPerSecond(first, first), 1'000'000'000u);
}

// The first call is timed before the kernel's opinion has been read.
TEST(ClockTest, TimeTakenEarlyIsInUnitsOfTheClockThatIsSettledOn) {
  ChooseClock(ClockKind::kTsc, nullptr);
  const TwofoldTime time = TakeTwofoldTime();
  EXPECT_EQ(TicksOf(time), time.cycles);
  ChooseClock(ClockKind::kMonotonic, nullptr);
  EXPECT_EQ(TicksOf(time), time.other);
  EXPECT_LE(time.other, MonotonicNs());
}

}  // namespace
}  // namespace dltap::shim
