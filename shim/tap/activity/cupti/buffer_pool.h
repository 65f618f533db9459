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
class BufferPool {
 public:
  static constexpr size_t kBufferBytes = 8u << 20;

  struct Buffer {
    uint8_t* data;
    size_t valid_bytes;
    uint32_t index;
  };

  // Maps the first few buffers; later ones are mapped when CUPTI asks for more
  // than there are (it keeps one per thread). False: no memory.
  bool Prepare();

  // Never fails before memory does: CUPTI before 12.9 crashes on nullptr.
  uint8_t* Take();

  // False: it belongs to another client.
  bool Owns(const uint8_t* data) const;

  // False: not one of ours.
  bool Deliver(uint8_t* data, size_t valid_bytes);

  // Collector: the delivered buffers in the order of their delivery, at most
  // `capacity`. Each goes back by Give().
  int Delivered(Buffer* buffers, int capacity);
  void Give(const Buffer& buffer);

 private:
  static constexpr int kPrepared = 4;
  static constexpr int kMaxBuffers = 256;
  static constexpr int kWords = kMaxBuffers / 64;

  uint8_t* TakeFree();
  uint8_t* MapNew();

  std::array<std::atomic<uint8_t*>, kMaxBuffers> data_{};
  std::array<size_t, kMaxBuffers> valid_bytes_{};
  std::array<uint64_t, kMaxBuffers> order_{};
  std::array<std::atomic<uint64_t>, kWords> free_{};
  std::array<std::atomic<uint64_t>, kWords> delivered_{};
  std::atomic<uint32_t> count_{0};
  std::atomic<uint64_t> deliveries_{0};
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_BUFFER_POOL_H_
