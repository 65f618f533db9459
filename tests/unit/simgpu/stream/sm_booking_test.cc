// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/sm_booking.h"

#include <gtest/gtest.h>

#include "simgpu/stream/gaps.h"

namespace dltap::simgpu {
namespace {

constexpr int kWhole = SmProfile::kWhole;
constexpr int64_t kLong = 10'000;

SmWork Kernel(int64_t begin_ns, int64_t duration_ns, int units = kWhole) {
  return {.begin_ns = begin_ns,
          .duration_ns = duration_ns,
          .units = {units, 1},
          .now_ns = 0,
          .priority = 0};
}

class SmBookingTest : public testing::Test {
 protected:
  // Books so many units for 100 kernels of kLong that fill the device.
  void Book(int units, int64_t begin_ns = 0) {
    booking_.Open(profile_.Book({.begin_ns = begin_ns,
                                 .duration_ns = 100 * kLong * kWhole / units,
                                 .units = units},
                                SmBooking::kMaxPieces),
                  kWhole, 0);
  }
  // The place of the stream's next kernel.
  SmProfile::Place Take(int64_t duration_ns = kLong, int units = kWhole) {
    const auto place =
        booking_.Take(Kernel(last_end_ns_ + kKernelGapNs, duration_ns, units));
    EXPECT_TRUE(place.has_value());
    if (!place) return {};
    last_end_ns_ = place->end_ns;
    return *place;
  }
  // When a kernel would be over that fills the device from `begin_ns` on.
  int64_t EndOfOther(int64_t begin_ns, int64_t duration_ns) {
    return profile_
        .Add(
            {.begin_ns = begin_ns, .duration_ns = duration_ns, .units = kWhole})
        .end_ns;
  }

  SmProfile profile_{128};
  SmBooking booking_;
  int64_t last_end_ns_ = -kKernelGapNs;
};

TEST_F(SmBookingTest, HalfTheDeviceTakesTwiceAsLong) {
  Book(kWhole / 2);
  for (int i = 0; i < 50; ++i) {
    const SmProfile::Place place = Take();
    // The gap before the kernel is made up for.
    EXPECT_EQ(i * 2 * kLong + (i == 0 ? 0 : kKernelGapNs), place.begin_ns);
    EXPECT_EQ((i + 1) * 2 * kLong, place.end_ns);
  }
  EXPECT_EQ(50, booking_.kernels());
  EXPECT_EQ(50 * kLong * kWhole, booking_.used());
}

TEST_F(SmBookingTest, NoKernelIsFasterThanAlone) {
  Book(kWhole);
  for (int i = 0; i < 50; ++i) {
    const SmProfile::Place place = Take();
    EXPECT_EQ(i * (kLong + kKernelGapNs), place.begin_ns);
    EXPECT_EQ(kLong, place.end_ns - place.begin_ns);
  }
}

TEST_F(SmBookingTest, ASmallKernelIsAsFastAsAlone) {
  Book(kWhole / 2);
  Take();
  const SmProfile::Place place = Take(kLong, kWhole / 10);
  EXPECT_EQ(kLong, place.end_ns - place.begin_ns);
}

TEST_F(SmBookingTest, WhatIsBookedIsTakenFromOthers) {
  Book(kWhole / 2);
  EXPECT_EQ(200 * kLong, EndOfOther(0, 100 * kLong));
}

TEST_F(SmBookingTest, TheRestIsGivenBack) {
  Book(kWhole / 2);
  for (int i = 0; i < 50; ++i) Take();
  booking_.Close(profile_);
  EXPECT_FALSE(booking_.open());
  // Half of the device up to the fiftieth kernel's end, then all.
  EXPECT_EQ(150 * kLong, EndOfOther(0, 100 * kLong));
}

TEST_F(SmBookingTest, GapsThatTheStreamCannotUseAreGivenBack) {
  Book(kWhole);
  for (int i = 0; i < 50; ++i) Take();
  booking_.Close(profile_);
  const int64_t gaps_ns = 49 * kKernelGapNs;
  EXPECT_NEAR(static_cast<double>(last_end_ns_),
              static_cast<double>(EndOfOther(0, gaps_ns)), 0.05 * kLong);
}

TEST_F(SmBookingTest, AClosedOneIsAsIfNothingHadBeenBooked) {
  Book(kWhole);
  booking_.Close(profile_);
  EXPECT_EQ(kLong, EndOfOther(0, kLong));
}

TEST_F(SmBookingTest, WhatDoesNotFitChangesNothing) {
  Book(kWhole / 2);
  Take();
  EXPECT_FALSE(booking_.Take(Kernel(last_end_ns_ + kKernelGapNs, 100 * kLong)));
  EXPECT_EQ(1, booking_.kernels());
  EXPECT_EQ(4 * kLong, Take().end_ns);
}

TEST_F(SmBookingTest, ALargerKernelIsNotServed) {
  booking_.Open(
      profile_.Book(
          {.begin_ns = 0, .duration_ns = 100 * kLong, .units = kWhole / 10},
          SmBooking::kMaxPieces),
      kWhole / 10, 0);
  EXPECT_FALSE(booking_.Take(Kernel(0, kLong)));
}

TEST_F(SmBookingTest, AKernelGoesOnInTheNextPiece) {
  // A quarter is free up to 3 kLong, then all.
  profile_.AddFixed({0, 3 * kLong}, kWhole * 3 / 4, SmProfile::kLevels - 1);
  Book(kWhole);
  EXPECT_EQ(3 * kLong + kLong / 4, Take().end_ns);
}

TEST_F(SmBookingTest, APieceThatHasNoRoomForABlockIsLeftOut) {
  profile_.AddFixed({0, 3 * kLong}, kWhole * 3 / 4, SmProfile::kLevels - 1);
  Book(kWhole);
  SmWork work = Kernel(0, kLong);
  work.units.block = kWhole / 2;
  const auto place = booking_.Take(work);
  ASSERT_TRUE(place);
  EXPECT_EQ(3 * kLong, place->begin_ns);
  EXPECT_EQ(4 * kLong, place->end_ns);
}

TEST_F(SmBookingTest, WorkThatComesLateLosesWhatPassed) {
  Book(kWhole / 2);
  Take();
  last_end_ns_ += 20 * kLong;
  EXPECT_EQ(24 * kLong, Take().end_ns);
  booking_.Close(profile_);
  // 2 kernels of 12 that had room.
  EXPECT_NEAR(24.0 * kLong, static_cast<double>(EndOfOther(0, 22 * kLong)),
              0.01 * kLong);
}

}  // namespace
}  // namespace dltap::simgpu
