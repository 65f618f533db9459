// SPDX-License-Identifier: Apache-2.0
// Records, rings and what becomes of them when there is no room.
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "gtest/gtest.h"
#include "shim/tap/runtime/drain.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/ring_file.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/thread_buffers.h"
#include "shim/tap/runtime/thread_state.h"
#include "shim/trace/encoder.h"
#include "tests/support/temp_dir.h"

namespace dltap::shim {
namespace {

using trace::LossKind;

// A session without a collector: this thread writes, the test drains.
class RingTest : public testing::Test {
 protected:
  RingTest() {
    EXPECT_EQ(file_.Create((temp_.path() + "/x.ring").c_str(), {}, "x.dltap"),
              0);
    EXPECT_TRUE(g_buffers.Reset(&file_));
    ResetLosses();
    t_thread = ThreadState{};
    g_process.word.store(kFirstSession);
  }
  ~RingTest() override {
    g_process.word.store(kIdle);
    t_thread = ThreadState{};
    file_.Unlink();
  }

  // Writes a record whose begin is `number`.
  [[gnu::noinline]] bool Write(uint64_t number, int slots) {
    trace::CallSlot* slot = Reserve(t_thread, slots);
    if (slot == nullptr) return false;
    slot->begin_ticks = number;
    slot->slots = static_cast<uint8_t>(slots);
    for (int i = 1; i < slots; ++i) slot[i].begin_ticks = number + 1000 * i;
    Commit(t_thread, slots);
    return true;
  }

  [[gnu::noinline]] void LeaveAppendOpen() {
    ASSERT_NE(Reserve(t_thread, 1), nullptr);
  }

  void Drain() { t_thread.ring->tail = t_thread.ring->head; }

  TempDir temp_;
  RingFile file_;
};

TEST_F(RingTest, CommittedRecordsAreBelowTheHead) {
  g_buffers.Refill();
  ASSERT_TRUE(AttachThread(t_thread));
  EXPECT_EQ(t_thread.ring->tid, static_cast<uint64_t>(gettid()));
  EXPECT_TRUE(Write(7, 2));
  EXPECT_EQ(t_thread.ring->head, 2u);
  EXPECT_EQ(t_thread.slots[0].begin_ticks, 7u);
}

TEST_F(RingTest, ReservedButNotCommittedIsNotThere) {
  g_buffers.Refill();
  ASSERT_TRUE(AttachThread(t_thread));
  ASSERT_NE(Reserve(t_thread, 1), nullptr);
  EXPECT_EQ(t_thread.ring->head, 0u);
}

TEST_F(RingTest, RecordOverTheEndGoesOnAtTheFront) {
  g_buffers.Refill();
  ASSERT_TRUE(AttachThread(t_thread));
  const uint64_t capacity = t_thread.mask + 1;
  for (uint64_t i = 0; i < capacity - 1; ++i) {
    ASSERT_TRUE(Write(i, 1));
    Drain();
  }
  ASSERT_TRUE(Write(5, 3));
  EXPECT_EQ(t_thread.slots[capacity - 1].begin_ticks, 5u);
  EXPECT_EQ(t_thread.slots[0].begin_ticks, 1005u);
  EXPECT_EQ(t_thread.slots[1].begin_ticks, 2005u);
}

TEST_F(RingTest, FullRingIsReplacedByALargerOne) {
  g_buffers.Refill();
  ASSERT_TRUE(AttachThread(t_thread));
  ASSERT_EQ(t_thread.mask + 1, kSmallRingSlots);
  for (uint64_t i = 0; i < 3 * kSmallRingSlots; ++i) ASSERT_TRUE(Write(i, 1));
  EXPECT_EQ(t_thread.mask + 1, kLargeRingSlots);
  const ThreadBuffer& buffer = *t_thread.buffer;
  EXPECT_EQ(buffer.second.load()->header, t_thread.ring);
  // Sequence numbers go on, nothing is in both.
  EXPECT_EQ(buffer.first->header->head, t_thread.ring->tail);
  EXPECT_EQ(t_thread.ring->head, 3 * kSmallRingSlots);
}

TEST_F(RingTest, WithoutRoomRecordsAreDroppedAndCounted) {
  ASSERT_TRUE(g_buffers.PrepareFirst());
  ASSERT_TRUE(AttachThread(t_thread));
  uint64_t written = 0;
  while (Write(written, 1)) ++written;
  EXPECT_EQ(written, kLargeRingSlots);
  EXPECT_FALSE(Write(0, 1));
  EXPECT_EQ(LossCount(LossKind::kRingFull), 2u);
  EXPECT_EQ(t_thread.ring->dropped, 2u);
  Drain();
  EXPECT_TRUE(Write(0, 1));
}

TEST_F(RingTest, SignalHandlerInsideAnAppendIsDroppedAndCounted) {
  g_buffers.Refill();
  ASSERT_TRUE(AttachThread(t_thread));
  ASSERT_NE(Reserve(t_thread, 1), nullptr);
  EXPECT_FALSE(Write(1, 1));  // what a handler would do now
  EXPECT_EQ(LossCount(LossKind::kSignalHandler), 1u);
  Commit(t_thread, 1);
  EXPECT_TRUE(Write(2, 1));
}

// A signal handler that interrupted the append has left it by siglongjmp.
TEST_F(RingTest, AppendThatIsNeverFinishedEndsWithItsFrame) {
  g_buffers.Refill();
  ASSERT_TRUE(AttachThread(t_thread));
  LeaveAppendOpen();
  EXPECT_TRUE(Write(1, 1));
  EXPECT_TRUE(Write(2, 1));
  EXPECT_EQ(LossCount(LossKind::kSignalHandler), 0u);
}

TEST_F(RingTest, AppendThatIsNeverFinishedCostsFewCallsFromDeeperFrames) {
  g_buffers.Refill();
  ASSERT_TRUE(AttachThread(t_thread));
  ASSERT_NE(Reserve(t_thread, 1), nullptr);
  uint64_t written = 0;
  for (int i = 0; i < 1000; ++i) written += Write(i, 1);
  EXPECT_EQ(written + LossCount(LossKind::kSignalHandler), 1000u);
  EXPECT_GT(written, 700u);
}

TEST_F(RingTest, ThreadWithoutAReadyBufferIsCounted) {
  EXPECT_FALSE(AttachThread(t_thread));
  EXPECT_EQ(LossCount(LossKind::kRingUnavailable), 1u);
}

// The activity source delivers the records of its launches afterwards.
TEST_F(RingTest, AThreadThatEndedLatelyIsStillKnownByItsId) {
  g_buffers.Refill();
  ThreadBuffer* ended = g_buffers.TakeReady();
  ASSERT_NE(ended, nullptr);
  ended->tid = 4711;
  ended->state = static_cast<uint32_t>(BufferState::kOwned);
  const uint32_t index = ended->thread_index;
  EXPECT_EQ(g_buffers.IndexOf(4711), index);
  g_buffers.Recycle(*ended);
  EXPECT_EQ(g_buffers.IndexOf(4711), index);
  EXPECT_EQ(g_buffers.IndexOf(4712), trace::kNoIndex);

  // Its id is given again: records are the new thread's.
  g_buffers.Refill();
  ThreadBuffer* other = g_buffers.TakeReady();
  ASSERT_NE(other, nullptr);
  other->tid = 4711;
  other->state = static_cast<uint32_t>(BufferState::kOwned);
  EXPECT_NE(other->thread_index, index);
  EXPECT_EQ(g_buffers.IndexOf(4711), other->thread_index);
}

// Thousands of threads that end make room for each other.
TEST_F(RingTest, OfManyEndedThreadsTheNewestAreKnown) {
  uint32_t index = 0;
  for (uint32_t tid = 1; tid <= 5'000; ++tid) {
    g_buffers.Refill();
    ThreadBuffer* buffer = g_buffers.TakeReady();
    ASSERT_NE(buffer, nullptr);
    buffer->tid = tid;
    index = buffer->thread_index;
    g_buffers.Recycle(*buffer);
  }
  EXPECT_EQ(g_buffers.IndexOf(5'000), index);
  EXPECT_NE(g_buffers.IndexOf(4'000), trace::kNoIndex);
  EXPECT_EQ(g_buffers.IndexOf(1), trace::kNoIndex);
}

TEST_F(RingTest, ForkedChildDoesNotWriteIntoItsParentsRing) {
  g_buffers.Refill();
  ASSERT_TRUE(AttachThread(t_thread));
  g_process.word.store(kFirstSession + 1);  // as the child's own session
  EXPECT_NE(t_thread.session, g_process.word.load());
}

}  // namespace
}  // namespace dltap::shim
