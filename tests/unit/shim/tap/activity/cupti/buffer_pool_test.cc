// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/buffer_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "shim/tap/activity/cupti/id_table.h"
#include "shim/tap/activity/cupti/node_queue.h"

namespace dltap::shim::cupti {
namespace {

TEST(BufferPoolTest, GivesMoreThanItHasPrepared) {
  static BufferPool pool;
  ASSERT_TRUE(pool.Prepare());
  std::set<uint8_t*> taken;
  for (int i = 0; i < 10; ++i) {
    uint8_t* data = pool.Take();
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 8, 0u);
    EXPECT_TRUE(taken.insert(data).second);
  }
}

TEST(BufferPoolTest, DeliversInOrderAndOnce) {
  static BufferPool pool;
  ASSERT_TRUE(pool.Prepare());
  uint8_t* first = pool.Take();
  uint8_t* second = pool.Take();
  EXPECT_TRUE(pool.Deliver(second, 64));
  EXPECT_TRUE(pool.Deliver(first, 128));
  BufferPool::Buffer buffers[4];
  ASSERT_EQ(pool.Delivered(buffers, 4), 2);
  EXPECT_EQ(buffers[0].data, second);
  EXPECT_EQ(buffers[0].valid_bytes, 64u);
  EXPECT_EQ(buffers[1].data, first);
  EXPECT_EQ(pool.Delivered(buffers, 4), 0);
  pool.Give({first, 0, buffers[1].index});
  EXPECT_EQ(pool.Take(), first);
}

TEST(BufferPoolTest, KnowsWhatIsNotItsOwn) {
  static BufferPool pool;
  ASSERT_TRUE(pool.Prepare());
  uint8_t other[8];
  EXPECT_FALSE(pool.Deliver(other, 8));
}

TEST(BufferPoolTest, ThreadsNeverShareABuffer) {
  static BufferPool pool;
  ASSERT_TRUE(pool.Prepare());
  std::atomic<int> conflicts{0};
  std::atomic<int> working{3};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        uint8_t* data = pool.Take();
        for (; data == nullptr; data = pool.Take()) std::this_thread::yield();
        data[0] = static_cast<uint8_t>(t);
        std::this_thread::yield();
        conflicts += data[0] != t;
        pool.Deliver(data, 1);
      }
      --working;
    });
  }
  int received = 0;
  BufferPool::Buffer buffers[8];
  while (working > 0 || received < 900) {
    const int count = pool.Delivered(buffers, 8);
    for (int i = 0; i < count; ++i) pool.Give(buffers[i]);
    received += count;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(received, 900);
  EXPECT_EQ(conflicts, 0);
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
