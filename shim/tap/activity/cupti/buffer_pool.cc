// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/buffer_pool.h"

#include <sys/mman.h>

#include <bit>

namespace dltap::shim::cupti {
namespace {

uint8_t* MapBuffer() {
  // Aligned to a page, so to the 8 bytes that CUPTI wants.
  void* data = mmap(nullptr, BufferPool::kBufferBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return data == MAP_FAILED ? nullptr : static_cast<uint8_t*>(data);
}

uint64_t BitOf(uint32_t index) { return uint64_t{1} << (index % 64); }

}  // namespace

bool BufferPool::Prepare() {
  while (count_.load(std::memory_order_relaxed) < kPrepared) {
    uint8_t* data = MapNew();
    if (data == nullptr) return false;
    const uint32_t index = count_.load(std::memory_order_relaxed) - 1;
    free_[index / 64].fetch_or(BitOf(index), std::memory_order_release);
  }
  return true;
}

uint8_t* BufferPool::MapNew() {
  uint8_t* data = MapBuffer();
  if (data == nullptr) return nullptr;
  const uint32_t index = count_.fetch_add(1, std::memory_order_relaxed);
  if (index >= kMaxBuffers) {
    count_.fetch_sub(1, std::memory_order_relaxed);
    munmap(data, kBufferBytes);
    return nullptr;
  }
  data_[index].store(data, std::memory_order_release);
  return data;
}

uint8_t* BufferPool::TakeFree() {
  for (int w = 0; w < kWords; ++w) {
    uint64_t free = free_[w].load(std::memory_order_acquire);
    while (free != 0) {
      const uint64_t bit = free & -free;
      if (free_[w].compare_exchange_weak(free, free & ~bit,
                                         std::memory_order_acquire)) {
        const int index = 64 * w + std::countr_zero(bit);
        return data_[index].load(std::memory_order_relaxed);
      }
    }
  }
  return nullptr;
}

uint8_t* BufferPool::Take() {
  uint8_t* data = TakeFree();
  return data != nullptr ? data : MapNew();
}

bool BufferPool::Owns(const uint8_t* data) const {
  const uint32_t count = count_.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count && i < kMaxBuffers; ++i) {
    if (data_[i].load(std::memory_order_relaxed) == data) return true;
  }
  return false;
}

bool BufferPool::Deliver(uint8_t* data, size_t valid_bytes) {
  const uint32_t count = count_.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count && i < kMaxBuffers; ++i) {
    if (data_[i].load(std::memory_order_relaxed) != data) continue;
    valid_bytes_[i] = valid_bytes <= kBufferBytes ? valid_bytes : kBufferBytes;
    order_[i] = deliveries_.fetch_add(1, std::memory_order_relaxed);
    delivered_[i / 64].fetch_or(BitOf(i), std::memory_order_release);
    return true;
  }
  return false;
}

int BufferPool::Delivered(Buffer* buffers, int capacity) {
  int found = 0;
  for (int w = 0; w < kWords; ++w) {
    uint64_t bits = delivered_[w].load(std::memory_order_acquire);
    for (; bits != 0 && found < capacity; bits &= bits - 1) {
      const uint32_t index = 64 * w + std::countr_zero(bits);
      delivered_[w].fetch_and(~BitOf(index), std::memory_order_relaxed);
      // Insert by order of delivery; there are a few at most.
      int at = found++;
      while (at > 0 && order_[buffers[at - 1].index] > order_[index]) {
        buffers[at] = buffers[at - 1];
        --at;
      }
      buffers[at] = {data_[index].load(std::memory_order_relaxed),
                     valid_bytes_[index], index};
    }
  }
  return found;
}

void BufferPool::Give(const Buffer& buffer) {
  free_[buffer.index / 64].fetch_or(BitOf(buffer.index),
                                    std::memory_order_release);
}

}  // namespace dltap::shim::cupti
