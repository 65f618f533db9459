// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/activity.h"

namespace dltap::simgpu {
namespace {

constinit std::atomic<ActivitySink*> g_sink{nullptr};

}  // namespace

constinit std::atomic<uint32_t> g_activity_mask{0};

void SetActivitySink(ActivitySink* sink) {
  g_sink.store(sink, std::memory_order_release);
}

void SetActivityMask(uint32_t bits) {
  // Without a sink records go nowhere.
  if (g_sink.load(std::memory_order_acquire) == nullptr) bits = 0;
  g_activity_mask.store(bits, std::memory_order_release);
}

ActivitySink& GetActivitySink() {
  return *g_sink.load(std::memory_order_acquire);
}

}  // namespace dltap::simgpu
