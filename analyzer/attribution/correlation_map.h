// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_CORRELATION_MAP_H_
#define DLTAP_ANALYZER_ATTRIBUTION_CORRELATION_MAP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace dltap::analyzer {

// Values by correlation id. Sources count them up, so that they are an array
// from the lowest to the highest; where ids leave wide holes, a hash table.
// Announce the ids, then Prepare, then look up.
template <typename Value>
class CorrelationMap {
 public:
  void Announce(uint64_t id) {
    if (id == 0) return;
    first_ = std::min(first_, id);
    last_ = std::max(last_, id);
    ++announced_;
  }
  void Prepare() {
    if (announced_ == 0 || last_ - first_ >= kMaxHoles * announced_) return;
    dense_.resize(last_ - first_ + 1);
  }
  Value& operator[](uint64_t id) {
    const uint64_t at = id - first_;
    return at < dense_.size() ? dense_[at] : sparse_[id];
  }
  // nullptr: nothing was put there; so may a default value be.
  const Value* Find(uint64_t id) const {
    const uint64_t at = id - first_;
    if (at < dense_.size()) return &dense_[at];
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? nullptr : &found->second;
  }

 private:
  static constexpr uint64_t kMaxHoles = 4;  // array places for each event

  uint64_t first_ = std::numeric_limits<uint64_t>::max();
  uint64_t last_ = 0;
  uint64_t announced_ = 0;
  std::vector<Value> dense_;
  absl::flat_hash_map<uint64_t, Value> sparse_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_CORRELATION_MAP_H_
