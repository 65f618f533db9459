// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_EXTERNAL_TABLE_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_EXTERNAL_TABLE_H_

#include <array>
#include <cstdint>

namespace dltap::shim::cupti {

// Correlation id -> external id, for the newest kHalf to 2 x kHalf pairs. CUPTI
// counts correlation ids over all API calls, hundreds of thousands between two
// passes, of which few carry an external id: so the table is keyed, not
// indexed, by them. One thread. The older half is forgotten when the newer one
// is full.
class ExternalTable {
 public:
  void Add(uint32_t correlation, uint64_t id) {
    if (used_ == kHalf) {
      newer_ ^= 1;
      halves_[newer_].fill({});
      used_ = 0;
    }
    Entry& entry = Find(halves_[newer_], correlation);
    if (entry.correlation == 0) ++used_;
    entry = {id, correlation};
  }

  // 0: none known.
  uint64_t Get(uint32_t correlation) {
    const Entry& newest = Find(halves_[newer_], correlation);
    if (newest.correlation != 0) return newest.id;
    return Find(halves_[newer_ ^ 1], correlation).id;
  }

  void Clear() {
    for (auto& half : halves_) half.fill({});
    used_ = 0;
  }

 private:
  static constexpr uint32_t kSlots = 1u << 17;
  static constexpr uint32_t kHalf = kSlots / 2;  // entries: probes stay short

  struct Entry {
    uint64_t id;
    uint32_t correlation;  // 0: empty; CUPTI counts from 1
  };
  using Half = std::array<Entry, kSlots>;

  // Where `correlation` is or belongs.
  static Entry& Find(Half& half, uint32_t correlation) {
    uint32_t i = (correlation * 0x9E3779B1u) >> 15;
    static_assert(kSlots == 1u << (32 - 15));
    while (half[i].correlation != 0 && half[i].correlation != correlation) {
      i = (i + 1) & (kSlots - 1);
    }
    return half[i];
  }

  std::array<Half, 2> halves_{};
  uint32_t newer_ = 0;
  uint32_t used_ = 0;
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_EXTERNAL_TABLE_H_
