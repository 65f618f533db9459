// SPDX-License-Identifier: Apache-2.0
// What a call finds when the one before it never came to its end.
#include "shim/tap/entry/call_record.h"

#include <thread>

#include "gtest/gtest.h"
#include "shim/tap/runtime/thread_buffers.h"
#include "tap_traits_cublas.h"

namespace dltap::shim {
namespace {

constexpr auto kEntry = specs::EntryPoint::kCublasCreate_v2;

int g_pushed = 0;

class CallRecordTest : public testing::Test {
 protected:
  CallRecordTest() {
    g_pushed = 0;
    ActivityHooks hooks = {};
    hooks.push = [](uint64_t) { return ++g_pushed > 0; };
    hooks.pop = [] { --g_pushed; };
    SetActivityHooks(hooks);
    SetPushing(true);
    t_thread = ThreadState{};
    t_thread.ring = &ring_;
  }
  ~CallRecordTest() override {
    SetPushing(false);
    SetActivityHooks({});
    t_thread = ThreadState{};
  }

  // As a wrapper whose frame is that address. The next word above it is where
  // it returns to.
  OpenCall Begin(void** frame) {
    return BeginCall<kEntry>(t_thread, frame, frame[1], nullptr);
  }

  trace::RingHeader ring_ = {};
  void* stack_[8] = {nullptr, this, nullptr, this, nullptr, this};
};

TEST_F(CallRecordTest, SkippedEndLeavesNoIdPushed) {
  Begin(&stack_[4]);
  EXPECT_EQ(g_pushed, 1);
  const OpenCall next = Begin(&stack_[4]);
  EXPECT_EQ(next.depth, 0u);
  EXPECT_EQ(g_pushed, 1);
  EndCall<kEntry>(t_thread, next);
  EXPECT_EQ(g_pushed, 0);
}

TEST_F(CallRecordTest, CallsFromDeeperFramesAreNestedWhileTheOuterOneLives) {
  Begin(&stack_[4]);
  for (int i = 0; i < 1000; ++i) {
    const OpenCall nested = Begin(&stack_[0]);
    EXPECT_EQ(nested.depth, 1u);
    EndCall<kEntry>(t_thread, nested);
  }
}

TEST_F(CallRecordTest, OuterCallWhoseFrameWasWrittenOverIsGone) {
  Begin(&stack_[4]);
  stack_[5] = nullptr;
  uint32_t nested_calls = 0;
  for (int i = 0; i < 1000; ++i) {
    const OpenCall call = Begin(&stack_[0]);
    nested_calls += call.depth;
    EndCall<kEntry>(t_thread, call);
  }
  EXPECT_LE(nested_calls, kNestedCallsToFirstLook);
  EXPECT_EQ(g_pushed, 0);
}

TEST_F(CallRecordTest, LooksAtTheOuterFrameGrowRare) {
  uint32_t looks = 0;
  for (uint32_t nested = 1; nested <= 100'000; ++nested) {
    looks += IsTimeToLook(nested) ? 1 : 0;
  }
  EXPECT_EQ(looks, 11u);  // 64, 128, ... 65536
  // Left after 500 nested calls: told before there are twice as many.
  Begin(&stack_[4]);
  for (int i = 0; i < 500; ++i) EndCall<kEntry>(t_thread, Begin(&stack_[0]));
  stack_[5] = nullptr;
  uint32_t nested_calls = 0;
  for (int i = 0; i < 1000; ++i) {
    const OpenCall call = Begin(&stack_[0]);
    nested_calls += call.depth;
    EndCall<kEntry>(t_thread, call);
  }
  EXPECT_LT(nested_calls, 500u);
}

TEST_F(CallRecordTest, AThreadCapturesUntilTheLastOfItsCapturesEnds) {
  CaptureBegan();
  CaptureBegan();
  CaptureEnded(/*failed=*/false);
  EXPECT_EQ(t_thread.record_flags, trace::kCallCapturing);
  CaptureEnded(/*failed=*/false);
  EXPECT_EQ(t_thread.record_flags, 0);
  CaptureBegan();
  CaptureBegan();
  CaptureEnded(/*failed=*/true);  // invalidated, maybe both
  EXPECT_EQ(t_thread.record_flags, 0);
}

TEST_F(CallRecordTest, ACaptureThatAnotherThreadEndsIsOver) {
  const auto flags_of_call = [this] {
    EndCall<kEntry>(t_thread, Begin(&stack_[4]));
    return t_thread.record_flags;
  };
  CaptureBegan();
  EXPECT_EQ(flags_of_call(), trace::kCallCapturing);
  std::thread([] { CaptureEnded(/*failed=*/true); }).join();
  EXPECT_EQ(flags_of_call(), trace::kCallCapturing);
  std::thread([] { CaptureEnded(/*failed=*/false); }).join();
  EXPECT_EQ(flags_of_call(), 0);
  CaptureBegan();
  EXPECT_EQ(flags_of_call(), trace::kCallCapturing);
  CaptureEnded(/*failed=*/false);
  EXPECT_EQ(flags_of_call(), 0);
}

constexpr uint64_t kRingPlaces = 1 << 16;

TEST_F(CallRecordTest, OneCallInSomeHundredIsTimedAtEveryPlaceOfALine) {
  constexpr uint64_t kPlaces = 4;  // two cache lines
  uint64_t timed[kPlaces] = {};
  for (t_thread.head = 0; t_thread.head < kRingPlaces; ++t_thread.head) {
    if (EnterTimed(t_thread) != 0) ++timed[t_thread.head % kPlaces];
  }
  for (const uint64_t calls : timed) {
    EXPECT_NEAR(static_cast<double>(calls), kRingPlaces / 256.0 / kPlaces, 8);
  }
}

TEST_F(CallRecordTest, TheCostOfATimedCallIsWithoutTheRealOne) {
  static ThreadBuffer buffer;
  buffer.cost = {};
  t_thread.buffer = &buffer;
  const uint64_t now = Ticks();
  const uint64_t long_ago = now - 100 * TimedCalls::kMostTicks;
  FinishedCall call = {long_ago + 40, now, 0, 0, true};
  NoteCost(t_thread, 0, call);  // not this one
  EXPECT_EQ(buffer.cost.calls, 0u);
  NoteCost(t_thread, long_ago, call);
  ASSERT_EQ(buffer.cost.calls, 1u);
  EXPECT_GE(buffer.cost.ticks, 40u);
  EXPECT_LE(buffer.cost.ticks, TimedCalls::kMostTicks);
  call.flags = trace::kCallDelayed;
  NoteCost(t_thread, long_ago, call);
  EXPECT_EQ(buffer.cost.calls, 1u) << "a delay is not the wrapper's cost";
}

TEST(TimedCallsTest, AnInterruptedCallIsNotCounted) {
  TimedCalls timed = {};
  timed.Add(100);
  timed.Add(TimedCalls::kMostTicks + 1);
  EXPECT_EQ(timed.calls, 1u);
  EXPECT_EQ(timed.ticks, 100u);
}

}  // namespace
}  // namespace dltap::shim
