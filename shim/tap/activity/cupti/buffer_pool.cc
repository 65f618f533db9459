// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/buffer_pool.h"

#include <sys/mman.h>

#include <bit>
#include <cstring>

namespace dltap::shim::cupti {
namespace {

constexpr size_t kPageBytes = 4096;

uint64_t BitOf(uint32_t index) { return uint64_t{1} << (index % 64); }

// What was written is zeroed here, on warm pages; the rest becomes fresh ones.
void Clear(uint8_t* data, size_t valid_bytes) {
  const size_t written = (valid_bytes + kPageBytes - 1) & ~(kPageBytes - 1);
  memset(data, 0, written);
  if (written < BufferPool::kBufferBytes) {
    madvise(data + written, BufferPool::kBufferBytes - written, MADV_DONTNEED);
  }
}

}  // namespace

// ---- Memory ----------------------------------------------------------------

bool BufferPool::Prepare() {
  discards_.store(false);
  for (uint32_t i = free_count_.load(std::memory_order_relaxed); i < kPrepared;
       ++i) {
    const uint32_t index = Map(MAP_POPULATE);
    if (index == kNone) return false;
    free_count_.fetch_add(1, std::memory_order_relaxed);
    free_[index / 64].fetch_or(BitOf(index), std::memory_order_release);
  }
  return true;
}

uint32_t BufferPool::Map(int flags) {
  // Aligned to a page, so to the 8 bytes that CUPTI wants.
  void* memory =
      mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  if (memory == MAP_FAILED) return kNone;
  auto* data = static_cast<uint8_t*>(memory);
  for (uint32_t i = 0; i < kMaxBuffers; ++i) {
    uint8_t* vacant = nullptr;
    if (!data_[i].compare_exchange_strong(vacant, data,
                                          std::memory_order_acq_rel)) {
      continue;
    }
    uint32_t count = count_.load(std::memory_order_relaxed);
    while (count <= i && !count_.compare_exchange_weak(
                             count, i + 1, std::memory_order_acq_rel)) {
    }
    return i;
  }
  munmap(memory, kBufferBytes);
  return kNone;
}

// REQUIRES: the caller has claimed it.
void BufferPool::Unmap(uint32_t index) {
  uint8_t* data = data_[index].load(std::memory_order_relaxed);
  data_[index].store(nullptr, std::memory_order_release);
  munmap(data, kBufferBytes);
}

void BufferPool::Discard() {
  discards_.store(true);
  const uint32_t count = count_.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) {
    if (Claim(free_, i)) {
      free_count_.fetch_sub(1, std::memory_order_relaxed);
      Unmap(i);
    } else if (Claim(delivered_, i)) {
      waiting_.fetch_sub(1, std::memory_order_relaxed);
      Unmap(i);
    }
  }
}

// ---- CUPTI's threads -------------------------------------------------------

bool BufferPool::Claim(Bits& bits, uint32_t index) {
  const uint64_t bit = BitOf(index);
  return (bits[index / 64].fetch_and(~bit, std::memory_order_acq_rel) & bit) !=
         0;
}

uint32_t BufferPool::TakeFree() {
  if (free_count_.load(std::memory_order_relaxed) == 0) return kNone;
  for (uint32_t w = 0; w < kWords; ++w) {
    uint64_t free = free_[w].load(std::memory_order_acquire);
    while (free != 0) {
      const uint32_t index = 64 * w + std::countr_zero(free);
      if (Claim(free_, index)) {
        free_count_.fetch_sub(1, std::memory_order_relaxed);
        return index;
      }
      free = free_[w].load(std::memory_order_acquire);
    }
  }
  return kNone;
}

BufferPool::Taken BufferPool::Take() {
  uint32_t index = TakeFree();
  if (index == kNone) index = Map(0);
  if (index == kNone) return {TakeReserve(), kReserveBytes};
  return {data_[index].load(std::memory_order_relaxed), kBufferBytes};
}

uint8_t* BufferPool::TakeReserve() {
  uint32_t taken = reserve_taken_.load(std::memory_order_relaxed);
  uint32_t i = 0;
  do {
    i = static_cast<uint32_t>(std::countr_one(taken));
    // The last one serves whoever still asks; nobody reads what is in it.
    if (i >= kReserve - 1) return &reserve_[(kReserve - 1) * kReserveBytes];
  } while (!reserve_taken_.compare_exchange_weak(taken, taken | (1u << i),
                                                 std::memory_order_acquire));
  return &reserve_[i * kReserveBytes];
}

bool BufferPool::IsReserve(const uint8_t* data) const {
  return data >= reserve_.data() && data < reserve_.data() + reserve_.size();
}

void BufferPool::GiveReserve(uint8_t* data) {
  const size_t i = static_cast<size_t>(data - reserve_.data()) / kReserveBytes;
  if (i == kReserve - 1) return;
  memset(data, 0, kReserveBytes);
  reserve_taken_.fetch_and(~(1u << i), std::memory_order_release);
}

uint32_t BufferPool::IndexOf(const uint8_t* data) const {
  const uint32_t count = count_.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) {
    if (data_[i].load(std::memory_order_relaxed) == data) return i;
  }
  return kNone;
}

bool BufferPool::Owns(const uint8_t* data) const {
  return data != nullptr && (IsReserve(data) || IndexOf(data) != kNone);
}

BufferPool::Delivery BufferPool::Deliver(uint8_t* data, size_t valid_bytes) {
  if (data == nullptr) return Delivery::kForeign;
  if (IsReserve(data)) {
    GiveReserve(data);
    return valid_bytes > 0 ? Delivery::kDiscarded : Delivery::kKept;
  }
  const uint32_t i = IndexOf(data);
  if (i == kNone) return Delivery::kForeign;
  if (discards_.load()) {
    Unmap(i);
    return Delivery::kKept;  // nobody misses it
  }
  if (waiting_.fetch_add(1, std::memory_order_relaxed) >= kMaxWaiting) {
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    Unmap(i);
    return valid_bytes > 0 ? Delivery::kDiscarded : Delivery::kKept;
  }
  valid_bytes_[i] = valid_bytes <= kBufferBytes ? valid_bytes : kBufferBytes;
  order_[i] = deliveries_.fetch_add(1, std::memory_order_relaxed);
  delivered_[i / 64].fetch_or(BitOf(i), std::memory_order_release);
  return Delivery::kKept;
}

// ---- Collector -------------------------------------------------------------

int BufferPool::Delivered(Buffer* buffers, int capacity) {
  int found = 0;
  const uint32_t words = (count_.load(std::memory_order_acquire) + 63) / 64;
  for (uint32_t w = 0; w < words; ++w) {
    uint64_t bits = delivered_[w].load(std::memory_order_acquire);
    for (; bits != 0 && found < capacity; bits &= bits - 1) {
      const uint32_t index = 64 * w + std::countr_zero(bits);
      if (!Claim(delivered_, index)) continue;
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
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  if (free_count_.load(std::memory_order_relaxed) >= kKeptFree) {
    Unmap(buffer.index);
    return;
  }
  Clear(buffer.data, buffer.valid_bytes);
  free_count_.fetch_add(1, std::memory_order_relaxed);
  free_[buffer.index / 64].fetch_or(BitOf(buffer.index),
                                    std::memory_order_release);
}

}  // namespace dltap::shim::cupti
