// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_BUFFER_POOL_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_BUFFER_POOL_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace dltap::shim::cupti {

// Activity buffers that CUPTI fills and the collector reads. CUPTI's callbacks
// come on any thread, also while CUPTI holds its locks, so Take() and Deliver()
// take none, and call nothing of CUPTI's.
//
// Buffers are handed over full of zeros; CUPTI is told so, else it would zero
// them on the launching thread. They are small, for CUPTI may keep one a
// thread, and what is not needed goes back to the system.
class BufferPool {
 public:
  static constexpr size_t kBufferBytes = 512u << 10;
  // More are not kept for the collector: it is seconds late (128 MiB).
  static constexpr uint32_t kMaxWaiting = 256;
  static constexpr size_t kReserveBytes = 16u << 10;

  struct Buffer {
    uint8_t* data;
    size_t valid_bytes;
    uint32_t index;
  };

  // Maps the first few buffers; later ones are mapped when CUPTI asks for more
  // than there are. False: no memory.
  bool Prepare();

  struct Taken {
    uint8_t* data;
    size_t bytes;
  };
  // Never null: CUPTI before 12.9 crashes on that. Without memory it is a small
  // buffer of the reserve, whose records are discarded.
  Taken Take();

  // False: it belongs to another client.
  bool Owns(const uint8_t* data) const;

  enum class Delivery { kForeign, kKept, kDiscarded };
  Delivery Deliver(uint8_t* data, size_t valid_bytes);

  // Collector: the delivered buffers in the order of their delivery, at most
  // `capacity`. Each goes back by Give().
  int Delivered(Buffer* buffers, int capacity);
  void Give(const Buffer& buffer);

  // Nobody reads any more: what is here is unmapped, what CUPTI still has when
  // it comes back.
  void Discard();

 private:
  static constexpr uint32_t kPrepared = 4;
  static constexpr uint32_t kKeptFree = 16;
  static constexpr uint32_t kMaxBuffers = 4096;
  static constexpr uint32_t kWords = kMaxBuffers / 64;
  static constexpr uint32_t kReserve = 8;
  static constexpr uint32_t kNone = ~uint32_t{0};

  // Bits of buffers, claimed one by one.
  using Bits = std::array<std::atomic<uint64_t>, kWords>;
  static bool Claim(Bits& bits, uint32_t index);

  uint32_t Map(int flags);
  void Unmap(uint32_t index);
  uint32_t TakeFree();
  uint32_t IndexOf(const uint8_t* data) const;
  uint8_t* TakeReserve();
  bool IsReserve(const uint8_t* data) const;
  void GiveReserve(uint8_t* data);

  std::array<std::atomic<uint8_t*>, kMaxBuffers> data_{};
  std::array<size_t, kMaxBuffers> valid_bytes_{};
  std::array<uint64_t, kMaxBuffers> order_{};
  Bits free_{};
  Bits delivered_{};
  std::atomic<uint32_t> count_{0};  // no index above was ever used
  std::atomic<uint32_t> free_count_{0};
  std::atomic<uint32_t> waiting_{0};  // delivered, not yet read
  std::atomic<uint64_t> deliveries_{0};
  std::atomic<bool> discards_{false};
  std::atomic<uint32_t> reserve_taken_{0};
  alignas(8) std::array<uint8_t, kReserve * kReserveBytes> reserve_{};
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_BUFFER_POOL_H_
