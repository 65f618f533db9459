// SPDX-License-Identifier: Apache-2.0
// Streams of which each fills the device, launched by one thread or by two.
#include "simgpu/stream/sm_sharing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <vector>

#include "simgpu/stream/gaps.h"

namespace dltap::simgpu {
namespace {

constexpr int kWhole = SmProfile::kWhole;
constexpr int64_t kNow = 1'000'000'000;
constexpr int64_t kLong = 10'000;
constexpr int kMany = 400;  // enough that a stream books

// A stream and the places of its kernels.
class Launcher {
 public:
  Launcher(SmSharing& sharing, int priority = 0, int64_t duration_ns = kLong)
      : sharing_(sharing), priority_(priority), duration_ns_(duration_ns) {}

  const SmProfile::Place& Launch(int64_t now_ns = kNow, int units = kWhole) {
    const std::lock_guard lock(mutex_);
    const int64_t tail_ns = places_.empty() ? 0 : places_.back().end_ns;
    places_.push_back(TakeSms(sharing_, claimant_,
                              {.begin_ns = std::max(now_ns + kSubmitLatencyNs,
                                                    tail_ns + kKernelGapNs),
                               .duration_ns = duration_ns_,
                               .units = {units, kWhole / 1000},
                               .now_ns = now_ns,
                               .priority = priority_}));
    return places_.back();
  }
  void LaunchMany(int kernels) {
    for (int i = 0; i < kernels; ++i) Launch();
  }
  void Leave() { LeaveSms(sharing_, claimant_); }

  std::mutex& mutex() { return mutex_; }
  bool booked() const { return claimant_.booking.open(); }
  const std::vector<SmProfile::Place>& places() const { return places_; }

 private:
  SmSharing& sharing_;
  std::mutex mutex_;
  const std::atomic<int> priority_;
  const int64_t duration_ns_;
  SmClaimant claimant_{mutex_, priority_};
  std::vector<SmProfile::Place> places_;
};

template <typename Body>
void OnAnotherThread(Body body) {
  std::async(std::launch::async, body).get();
}

// The largest part of the device that the kernels use in any time of kWindow.
double MostUsed(const std::vector<const Launcher*>& launchers) {
  constexpr int64_t kWindow = 10 * kLong;
  std::vector<double> used;
  for (const Launcher* launcher : launchers) {
    for (const auto& [begin_ns, end_ns] : launcher->places()) {
      const double rate =
          static_cast<double>(kLong) / static_cast<double>(end_ns - begin_ns);
      for (int64_t at = begin_ns; at < end_ns;) {
        const auto window = static_cast<size_t>((at - kNow) / kWindow);
        if (window >= used.size()) used.resize(window + 1);
        const int64_t next =
            std::min(end_ns, kNow + static_cast<int64_t>(window + 1) * kWindow);
        used[window] += rate * static_cast<double>(next - at) / kWindow;
        at = next;
      }
    }
  }
  return *std::max_element(used.begin(), used.end());
}

class SmSharingTest : public testing::Test {
 protected:
  // Two threads in turn, until both streams have a long queue.
  void FillBoth() {
    for (int i = 0; i < kMany; ++i) {
      a_.Launch();
      OnAnotherThread([&] { b_.Launch(); });
    }
  }

  SmSharing sharing_{128};
  Launcher a_{sharing_};
  Launcher b_{sharing_};
};

TEST_F(SmSharingTest, OneThreadsKernelsTakeTurns) {
  for (int i = 0; i < 100; ++i) {
    a_.Launch();
    b_.Launch();
  }
  for (const Launcher* launcher : {&a_, &b_}) {
    for (const auto& [begin_ns, end_ns] : launcher->places()) {
      EXPECT_EQ(kLong, end_ns - begin_ns);
    }
  }
  for (int i = 1; i < 100; ++i) {
    EXPECT_EQ(b_.places()[i - 1].end_ns, a_.places()[i].begin_ns);
    EXPECT_EQ(a_.places()[i].end_ns, b_.places()[i].begin_ns);
  }
}

TEST_F(SmSharingTest, OneThreadNeverBooks) {
  for (int i = 0; i < 2 * kMany; ++i) {
    a_.Launch();
    b_.Launch();
    EXPECT_FALSE(a_.booked() || b_.booked());
  }
}

TEST_F(SmSharingTest, ShortQueuesAreNotBooked) {
  for (int i = 0; i < 60; ++i) {
    a_.Launch();
    OnAnotherThread([&] { b_.Launch(); });
    EXPECT_FALSE(a_.booked() || b_.booked());
  }
}

TEST_F(SmSharingTest, ThreadsWithLongQueuesBook) {
  FillBoth();
  EXPECT_TRUE(a_.booked());
  EXPECT_TRUE(b_.booked());
  // Whoever is at the mutex counts what is placed.
  const double placed = sharing_.placed;
  a_.LaunchMany(10);
  EXPECT_EQ(placed, sharing_.placed);
}

// A collective, asked for by another thread, beside a queue of GEMMs.
TEST_F(SmSharingTest, WorkBesideAQueueOfLongKernelsWaitsForOneAtMost) {
  constexpr int64_t kGemm = 700'000;
  Launcher gemms(sharing_, 0, kGemm);
  for (int i = 0; i < kMany; ++i) {
    gemms.Launch();
    OnAnotherThread([&] { gemms.Launch(); });
  }
  const int64_t begin_ns = gemms.places()[kMany].begin_ns;
  SmProfile::Place place;
  OnAnotherThread([&] {
    Launcher collective(sharing_);
    collective.LaunchMany(1);
    place = collective.places().front();
  });
  EXPECT_LT(place.begin_ns, begin_ns);
}

TEST_F(SmSharingTest, SmTimeIsGivenOnceAndNoneStaysIdle) {
  FillBoth();
  constexpr int kBursts = 30;
  constexpr int kBurst = 50;
  for (int i = 0; i < kBursts; ++i) {
    a_.LaunchMany(kBurst);
    OnAnotherThread([&] { b_.LaunchMany(kBurst); });
  }
  EXPECT_LT(MostUsed({&a_, &b_}), 1.1);
  const double all_ns = 2.0 * (kMany + kBursts * kBurst) * kLong;
  const int64_t end_ns =
      std::max(a_.places().back().end_ns, b_.places().back().end_ns) - kNow;
  EXPECT_NEAR(all_ns, static_cast<double>(end_ns), 0.05 * all_ns);
}

// What a stream left for another that launches no longer is bounded.
TEST_F(SmSharingTest, AStreamThatGoesOnAloneGetsAllSms) {
  FillBoth();
  a_.LaunchMany(5 * kMany);
  EXPECT_LT(a_.places().back().end_ns - a_.places()[7 * kMany / 2].begin_ns,
            (5 * kMany / 2) * (kLong + kKernelGapNs) * 1.05);
}

TEST_F(SmSharingTest, GapsBetweenBookedKernelsAreLeftToOthers) {
  FillBoth();
  a_.LaunchMany(5 * kMany);
  // 900 ns of 10,900 are free.
  const int64_t begin_ns = a_.places()[4 * kMany].begin_ns;
  const SmProfile::Request other{
      .begin_ns = begin_ns, .duration_ns = kLong, .units = kWhole};
  EXPECT_LT(sharing_.profile.Add(other).end_ns - begin_ns, 20 * kLong);
}

TEST_F(SmSharingTest, AStreamThatLaunchesNoLongerGivesItsBookingBack) {
  FillBoth();
  Launcher c(sharing_);
  c.Launch();
  EXPECT_TRUE(a_.booked());
  c.Launch(kNow + 1'000'000);
  EXPECT_FALSE(a_.booked());
  EXPECT_FALSE(b_.booked());
}

TEST_F(SmSharingTest, AStreamThatIsLaunchingKeepsItsBooking) {
  FillBoth();
  Launcher c(sharing_);
  const std::lock_guard lock(a_.mutex());
  OnAnotherThread([&] { c.Launch(kNow + 1'000'000); });
  EXPECT_TRUE(a_.booked());
  EXPECT_FALSE(b_.booked());
}

TEST_F(SmSharingTest, AStreamThatIsDestroyedGivesItsBookingBack) {
  FillBoth();
  const SmProfile::Request rest{.begin_ns = a_.places().back().end_ns,
                                .duration_ns = 10 * kLong,
                                .units = kWhole};
  SmProfile before = sharing_.profile;
  a_.Leave();
  SmProfile after = sharing_.profile;
  EXPECT_LT(after.Add(rest).end_ns, before.Add(rest).end_ns);
}

TEST_F(SmSharingTest, ADestroyedStreamsWorkKeepsItsRoom) {
  a_.LaunchMany(10);
  b_.Launch();
  const int64_t end_ns = a_.places().back().end_ns;
  Launcher c(sharing_);
  c.Launch();
  a_.Leave();
  EXPECT_GT(b_.Launch().end_ns, end_ns);
}

TEST_F(SmSharingTest, ALongQueueOfOneStreamKeepsItsRoom) {
  a_.LaunchMany(5000);  // more than its log holds
  // A kernel that needs as long as 20 gaps of a's kernels.
  const int64_t gaps_ns = kLong / kKernelGapNs * (kLong + kKernelGapNs);
  const auto& place = b_.Launch();
  EXPECT_NEAR(static_cast<double>(kNow + gaps_ns),
              static_cast<double>(place.end_ns), 0.2 * gaps_ns);
  b_.LaunchMany(10);
  EXPECT_LT(MostUsed({&a_, &b_}), 1.1);
}

TEST_F(SmSharingTest, UrgentWorkOvertakesWhatIsBooked) {
  FillBoth();
  Launcher urgent(sharing_, -5);
  // What runs now is not preempted.
  EXPECT_LT(urgent.Launch().end_ns, kNow + 5 * kLong);
}

}  // namespace
}  // namespace dltap::simgpu
