// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_NODE_QUEUE_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_NODE_QUEUE_H_

#include <array>
#include <atomic>
#include <cstdint>

namespace dltap::shim::cupti {

// Where a CUDA-graph node came from, on its way to the collector.
struct NodeOrigin {
  uint64_t node;
  uint64_t original_node;     // of a clone
  uint64_t call_begin_ticks;  // of a captured or added node
  uint32_t thread;
  uint32_t graph;
};

// Many writers (threads that build graphs), one reader (the collector).
class NodeQueue {
 public:
  // False: full.
  bool Push(const NodeOrigin& origin) {
    uint64_t at = head_.load(std::memory_order_relaxed);
    do {
      if (at - tail_.load(std::memory_order_acquire) >= kEntries) return false;
    } while (
        !head_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed));
    Entry& entry = entries_[at % kEntries];
    entry.origin = origin;
    entry.ready.store(at + 1, std::memory_order_release);
    return true;
  }

  // False: nothing there, or not written to its end yet.
  bool Pop(NodeOrigin* origin) {
    const uint64_t at = tail_.load(std::memory_order_relaxed);
    const Entry& entry = entries_[at % kEntries];
    if (entry.ready.load(std::memory_order_acquire) != at + 1) return false;
    *origin = entry.origin;
    tail_.store(at + 1, std::memory_order_release);
    return true;
  }

 private:
  static constexpr uint64_t kEntries = 1u << 16;
  struct Entry {
    std::atomic<uint64_t> ready{0};
    NodeOrigin origin{};
  };
  std::atomic<uint64_t> head_{0};
  std::atomic<uint64_t> tail_{0};
  std::array<Entry, kEntries> entries_{};
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_NODE_QUEUE_H_
