// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_ID_TABLE_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_ID_TABLE_H_

#include <array>
#include <cstdint>
#include <cstring>

namespace dltap::shim::cupti {

// 64-bit hash of plain bytes. Equal hashes are taken for equal things: with a
// million different ones the odds of a mistake are 1 in 10^7.
inline uint64_t HashBytes(const void* data, size_t bytes) {
  const auto* at = static_cast<const uint8_t*>(data);
  uint64_t hash = 0x9E3779B97F4A7C15ull ^ bytes;
  for (; bytes >= 8; bytes -= 8, at += 8) {
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    hash = (hash ^ word) * 0xD6E8FEB86659FD93ull;
    hash ^= hash >> 32;
  }
  uint64_t rest = 0;
  memcpy(&rest, at, bytes);
  hash = (hash ^ rest) * 0xD6E8FEB86659FD93ull;
  hash ^= hash >> 29;
  return hash | 1;  // 0 marks an empty slot
}

// Hash -> id. One thread. When it is full it forgets everything: things are
// then defined again under new ids, which costs bytes, not truth.
template <uint32_t kSlots>
class IdTable {
 public:
  // Where the id of `hash` is or belongs; 0 there means: not known yet.
  uint32_t& At(uint64_t hash) {
    if (used_ > kSlots / 2) Clear();
    uint32_t i = static_cast<uint32_t>(hash >> 1) & (kSlots - 1);
    while (hashes_[i] != 0 && hashes_[i] != hash) i = (i + 1) & (kSlots - 1);
    if (hashes_[i] == 0) {
      hashes_[i] = hash;
      ids_[i] = 0;
      ++used_;
    }
    return ids_[i];
  }
  void Clear() {
    hashes_.fill(0);
    used_ = 0;
  }

 private:
  static_assert((kSlots & (kSlots - 1)) == 0);
  uint32_t used_ = 0;
  std::array<uint64_t, kSlots> hashes_{};
  std::array<uint32_t, kSlots> ids_{};
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_ID_TABLE_H_
