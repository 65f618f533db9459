// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/buffer_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <set>
#include <thread>
#include <vector>

#include "shim/tap/activity/cupti/id_table.h"
#include "shim/tap/activity/cupti/node_queue.h"

namespace dltap::shim::cupti {
namespace {

using Delivery = BufferPool::Delivery;

bool IsZero(const BufferPool::Taken& taken) {
  return std::all_of(taken.data, taken.data + taken.bytes,
                     [](uint8_t byte) { return byte == 0; });
}

// Reads everything that has been delivered, as the collector does.
int ReadAll(BufferPool& pool) {
  BufferPool::Buffer buffers[8];
  int read = 0;
  for (int count; (count = pool.Delivered(buffers, 8)) > 0; read += count) {
    for (int i = 0; i < count; ++i) pool.Give(buffers[i]);
  }
  return read;
}

long MappedPages() {
  std::ifstream statm("/proc/self/statm");
  long pages = 0;
  statm >> pages;
  return pages;
}

TEST(BufferPoolTest, GivesMoreThanItHasPrepared) {
  static BufferPool pool;
  ASSERT_TRUE(pool.Prepare());
  std::set<uint8_t*> taken;
  for (int i = 0; i < 10; ++i) {
    uint8_t* data = pool.Take().data;
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 8, 0u);
    EXPECT_TRUE(taken.insert(data).second);
  }
}

TEST(BufferPoolTest, DeliversInOrderAndOnce) {
  static BufferPool pool;
  ASSERT_TRUE(pool.Prepare());
  uint8_t* first = pool.Take().data;
  uint8_t* second = pool.Take().data;
  EXPECT_EQ(pool.Deliver(second, 64), Delivery::kKept);
  EXPECT_EQ(pool.Deliver(first, 128), Delivery::kKept);
  BufferPool::Buffer buffers[4];
  ASSERT_EQ(pool.Delivered(buffers, 4), 2);
  EXPECT_EQ(buffers[0].data, second);
  EXPECT_EQ(buffers[0].valid_bytes, 64u);
  EXPECT_EQ(buffers[1].data, first);
  EXPECT_EQ(pool.Delivered(buffers, 4), 0);
  pool.Give(buffers[1]);
  EXPECT_EQ(pool.Take().data, first);
}

TEST(BufferPoolTest, KnowsWhatIsNotItsOwn) {
  static BufferPool pool;
  ASSERT_TRUE(pool.Prepare());
  uint8_t other[8];
  EXPECT_FALSE(pool.Owns(other));
  EXPECT_FALSE(pool.Owns(nullptr));
  EXPECT_EQ(pool.Deliver(other, 8), Delivery::kForeign);
  EXPECT_EQ(pool.Deliver(nullptr, 8), Delivery::kForeign);
}

TEST(BufferPoolTest, ABufferIsHandedOverFullOfZeros) {
  static BufferPool pool;
  ASSERT_TRUE(pool.Prepare());
  for (const size_t valid : {size_t{100}, BufferPool::kBufferBytes}) {
    const BufferPool::Taken taken = pool.Take();
    EXPECT_TRUE(IsZero(taken));
    memset(taken.data, 0xAB, taken.bytes);  // beyond what is valid, too
    pool.Deliver(taken.data, valid);
    ASSERT_EQ(ReadAll(pool), 1);
  }
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(IsZero(pool.Take()));
}

// CUPTI before 12.9 crashes on null.
TEST(BufferPoolTest, NeverGivesNullAndGoesOnWhenThereIsMemoryAgain) {
  static BufferPool pool;
  ASSERT_TRUE(pool.Prepare());
  std::vector<BufferPool::Taken> taken;
  for (int i = 0; i < 5000; ++i) {  // more than it can keep count of
    taken.push_back(pool.Take());
    ASSERT_NE(taken.back().data, nullptr);
  }
  EXPECT_EQ(taken.back().bytes, BufferPool::kReserveBytes);
  EXPECT_TRUE(pool.Owns(taken.back().data));
  EXPECT_EQ(pool.Deliver(taken.back().data, 16), Delivery::kDiscarded);
  for (int i = 0; i < 100; ++i) pool.Deliver(taken[i].data, 8);
  EXPECT_EQ(ReadAll(pool), 100);
  EXPECT_EQ(pool.Take().bytes, BufferPool::kBufferBytes);
}

TEST(BufferPoolTest, ALateCollectorFindsABoundedNumber) {
  static BufferPool pool;
  ASSERT_TRUE(pool.Prepare());
  uint32_t kept = 0;
  for (uint32_t i = 0; i < 2 * BufferPool::kMaxWaiting; ++i) {
    kept += pool.Deliver(pool.Take().data, 64) == Delivery::kKept ? 1 : 0;
  }
  EXPECT_EQ(kept, BufferPool::kMaxWaiting);
  EXPECT_EQ(ReadAll(pool), static_cast<int>(BufferPool::kMaxWaiting));
}

TEST(BufferPoolTest, ThreadsNeverShareABuffer) {
  static BufferPool pool;
  ASSERT_TRUE(pool.Prepare());
  std::atomic<int> conflicts{0};
  std::atomic<int> working{3};
  std::atomic<int> kept{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        uint8_t* data = pool.Take().data;
        conflicts += data[0] != 0;
        data[0] = static_cast<uint8_t>(t + 1);
        std::this_thread::yield();
        conflicts += data[0] != t + 1;
        kept += pool.Deliver(data, 1) == Delivery::kKept;
      }
      --working;
    });
  }
  int received = 0;
  while (working > 0) received += ReadAll(pool);
  for (std::thread& thread : threads) thread.join();
  received += ReadAll(pool);
  EXPECT_EQ(received, kept);
  EXPECT_EQ(conflicts, 0);
}

TEST(BufferPoolTest, DiscardingGivesAllMemoryBackAndStillGivesBuffers) {
  static BufferPool pool;
  const long before = MappedPages();
  ASSERT_TRUE(pool.Prepare());
  uint8_t* outside[40];
  for (uint8_t*& data : outside) data = pool.Take().data;
  for (int i = 0; i < 20; ++i) pool.Deliver(outside[i], 8);
  pool.Discard();
  EXPECT_EQ(ReadAll(pool), 0);
  for (int i = 20; i < 40; ++i) {
    EXPECT_EQ(pool.Deliver(outside[i], 8), Delivery::kKept);
  }
  for (int i = 0; i < 100; ++i) {
    uint8_t* data = pool.Take().data;
    ASSERT_NE(data, nullptr);
    pool.Deliver(data, 8);
  }
  EXPECT_LT(MappedPages() - before, 100);  // 140 buffers were handed over
  ASSERT_TRUE(pool.Prepare());             // a session of a forked child
  pool.Deliver(pool.Take().data, 8);
  EXPECT_EQ(ReadAll(pool), 1);
}

TEST(IdTableTest, RemembersUntilFullThenStartsAnew) {
  static IdTable<16> table;
  table.At(HashBytes("a", 1)) = 7;
  EXPECT_EQ(table.At(HashBytes("a", 1)), 7u);
  EXPECT_EQ(table.At(HashBytes("b", 1)), 0u);
  for (uint64_t i = 0; i < 100; ++i) table.At(HashBytes(&i, sizeof(i))) = 1;
  EXPECT_EQ(table.At(HashBytes("a", 1)), 0u);
}

TEST(NodeQueueTest, ManyWritersOneReaderNothingLost) {
  static NodeQueue queue;
  std::vector<std::thread> writers;
  for (uint64_t t = 0; t < 3; ++t) {
    writers.emplace_back([t] {
      for (uint64_t i = 1; i <= 10'000; ++i) {
        NodeOrigin origin{};
        origin.node = i;
        origin.thread = static_cast<uint32_t>(t);
        ASSERT_TRUE(queue.Push(origin));
      }
    });
  }
  uint64_t last[3] = {};
  uint64_t count = 0;
  for (NodeOrigin origin; count < 30'000;) {
    if (!queue.Pop(&origin)) continue;
    EXPECT_EQ(origin.node, ++last[origin.thread]);
    ++count;
  }
  for (std::thread& writer : writers) writer.join();
}

TEST(NodeQueueTest, SaysWhenItIsFull) {
  static NodeQueue queue;
  for (int i = 0; i < 1 << 16; ++i) ASSERT_TRUE(queue.Push({}));
  EXPECT_FALSE(queue.Push({}));
  NodeOrigin origin;
  EXPECT_TRUE(queue.Pop(&origin));
  EXPECT_TRUE(queue.Push({}));
}

}  // namespace
}  // namespace dltap::shim::cupti
