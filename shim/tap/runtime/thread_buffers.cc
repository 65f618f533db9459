// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/thread_buffers.h"

#include <sys/mman.h>

#include <cstring>

namespace dltap::shim {
namespace {

constexpr uint32_t kMaxRings = RingFile::kMaxRings;

void* MapPrivate(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

constinit ThreadBuffers g_buffers;

bool ThreadBuffers::Reset(RingFile* file) {
  struct Tables {
    Ring rings[kMaxRings];
    Ring* free_small[kMaxRings];
    Ring* free_large[kMaxRings];
    uint32_t free_buffers[kMaxBuffers];
    EndedThread ended[kMaxEnded];
  };
  auto* tables = static_cast<Tables*>(MapPrivate(sizeof(Tables)));
  auto* buffers = static_cast<ThreadBuffer*>(
      MapPrivate(sizeof(ThreadBuffer) * kMaxBuffers));
  if (tables == nullptr || buffers == nullptr) return false;
  file_ = file;
  buffers_ = buffers;
  rings_ = tables->rings;
  free_small_ = tables->free_small;
  free_large_ = tables->free_large;
  free_buffers_ = tables->free_buffers;
  ended_ = tables->ended;
  count_ = ring_count_ = next_thread_index_ = ended_count_ = 0;
  free_small_count_ = free_large_count_ = free_buffer_count_ = 0;
  wanted_buffers_ = 4;
  wanted_large_rings_ = 1;
  is_full_.store(false, std::memory_order_relaxed);
  lacks_memory_.store(false, std::memory_order_relaxed);
  for (auto& ready : ready_) ready.store(nullptr, std::memory_order_relaxed);
  for (auto& ring : ready_large_) {
    ring.store(nullptr, std::memory_order_relaxed);
  }
  return true;
}

Ring* ThreadBuffers::NewRing(uint32_t slots) {
  const bool is_small = slots == kSmallRingSlots;
  if (is_small && free_small_count_ > 0) {
    return free_small_[--free_small_count_];
  }
  if (!is_small && free_large_count_ > 0) {
    return free_large_[--free_large_count_];
  }
  if (ring_count_ >= kMaxRings) return nullptr;
  Ring* ring = &rings_[ring_count_];
  if (!file_->AddRing(slots, ring)) return nullptr;
  ++ring_count_;
  return ring;
}

bool ThreadBuffers::PrepareReady(int i, Ring* ring) {
  const bool reuse = free_buffer_count_ > 0;
  if (ring == nullptr || (!reuse && count_ >= kMaxBuffers)) return false;
  const uint32_t index = reuse ? free_buffers_[--free_buffer_count_] : count_++;
  ThreadBuffer* buffer = &buffers_[index];
  memset(static_cast<void*>(buffer), 0, sizeof(*buffer));
  buffer->first = ring;
  buffer->thread_index = next_thread_index_++;
  RingFile::Assign(*ring, buffer->thread_index, 0);
  buffer->state.store(static_cast<uint32_t>(BufferState::kReady),
                      std::memory_order_release);
  ready_[i].store(buffer, std::memory_order_release);
  return true;
}

bool ThreadBuffers::PrepareFirst() {
  Ring* ring = NewRing(kLargeRingSlots);
  if (ring != nullptr) RingFile::Populate(*ring);
  return PrepareReady(0, ring);
}

int ThreadBuffers::RefillBuffers() {
  int missing = 0;
  int ready = 0;
  bool lacks_memory = false;
  for (; ready < wanted_buffers_; ++ready) {
    if (ready_[ready].load(std::memory_order_relaxed) != nullptr) continue;
    ++missing;
    Ring* ring = NewRing(kSmallRingSlots);
    lacks_memory = ring == nullptr;
    if (lacks_memory) break;
    RingFile::Populate(*ring);
    if (!PrepareReady(ready, ring)) {
      free_small_[free_small_count_++] = ring;
      break;
    }
  }
  const bool too_many = count_ >= kMaxBuffers && free_buffer_count_ == 0;
  lacks_memory_.store(lacks_memory, std::memory_order_relaxed);
  is_full_.store(lacks_memory || too_many, std::memory_order_relaxed);
  if (missing > wanted_buffers_ / 2 && wanted_buffers_ < kMaxReadyBuffers) {
    wanted_buffers_ *= 2;
  }
  return ready;
}

void ThreadBuffers::RefillLargeRings() {
  int missing = 0;
  for (int i = 0; i < wanted_large_rings_; ++i) {
    if (ready_large_[i].load(std::memory_order_relaxed) != nullptr) continue;
    ++missing;
    Ring* ring = NewRing(kLargeRingSlots);
    if (ring == nullptr) return;
    RingFile::Populate(*ring);
    ready_large_[i].store(ring, std::memory_order_release);
  }
  if (missing > wanted_large_rings_ / 2 && ring_count_ > 8 &&
      wanted_large_rings_ < kMaxReadyLargeRings) {
    wanted_large_rings_ *= 2;
  }
}

int ThreadBuffers::Refill() {
  const int ready = RefillBuffers();
  RefillLargeRings();
  return ready;
}

ThreadBuffer* ThreadBuffers::TakeReady() {
  for (auto& ready : ready_) {
    if (ready.load(std::memory_order_relaxed) == nullptr) continue;
    ThreadBuffer* buffer = ready.exchange(nullptr, std::memory_order_acq_rel);
    if (buffer != nullptr) return buffer;
  }
  return nullptr;
}

Ring* ThreadBuffers::TakeLargeRing() {
  for (auto& ready : ready_large_) {
    if (ready.load(std::memory_order_relaxed) == nullptr) continue;
    Ring* ring = ready.exchange(nullptr, std::memory_order_acq_rel);
    if (ring != nullptr) return ring;
  }
  return nullptr;
}

// The newest first: ids of ended threads are given again.
uint32_t ThreadBuffers::IndexOf(uint32_t tid) const {
  for (uint32_t i = count_; i > 0; --i) {
    const ThreadBuffer& buffer = buffers_[i - 1];
    if (buffer.is_owned() &&
        buffer.tid.load(std::memory_order_relaxed) == tid) {
      return buffer.thread_index;
    }
  }
  const uint32_t ended_known =
      ended_count_ < kMaxEnded ? ended_count_ : kMaxEnded;
  for (uint32_t i = 0; i < ended_known; ++i) {
    const EndedThread& ended = ended_[(ended_count_ - 1 - i) % kMaxEnded];
    if (ended.tid == tid) return ended.thread_index;
  }
  return trace::kNoIndex;
}

void ThreadBuffers::DropFirstRing(ThreadBuffer& buffer) {
  RingFile::Release(*buffer.first);
  free_small_[free_small_count_++] = buffer.first;
  buffer.first = buffer.second.load(std::memory_order_relaxed);
  buffer.drain_to[0] = buffer.drain_to[1];
  buffer.second.store(nullptr, std::memory_order_release);
}

void ThreadBuffers::Recycle(ThreadBuffer& buffer) {
  ended_[ended_count_++ % kMaxEnded] = {
      buffer.tid.load(std::memory_order_relaxed), buffer.thread_index};
  RingFile::Release(*buffer.first);
  if (buffer.first->capacity_slots == kSmallRingSlots) {
    free_small_[free_small_count_++] = buffer.first;
  } else {
    free_large_[free_large_count_++] = buffer.first;
  }
  buffer.state.store(static_cast<uint32_t>(BufferState::kUnused),
                     std::memory_order_release);
  free_buffers_[free_buffer_count_++] =
      static_cast<uint32_t>(&buffer - buffers_);
}

}  // namespace dltap::shim
