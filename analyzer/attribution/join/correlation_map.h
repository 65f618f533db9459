// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_JOIN_CORRELATION_MAP_H_
#define DLTAP_ANALYZER_ATTRIBUTION_JOIN_CORRELATION_MAP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace dltap::analyzer {

// Values by correlation id. Sources count them up, so that they are arrays of
// pages: one after the other, or, of a run of which only some parts are looked
// at, with holes between them. Where ids leave wide holes everywhere, a hash
// table. Announce the ids, then Prepare, then look up.
template <typename Value>
class CorrelationMap {
 public:
  void Announce(uint64_t id) {
    if (id == 0) return;
    first_ = std::min(first_, id);
    last_ = std::max(last_, id);
    ++announced_;
    const uint64_t page = id / kPage;
    turns_ += page != latest_page_;
    latest_page_ = page;
  }
  void Prepare() {
    if (announced_ == 0) return;
    const uint64_t most = kMaxHoles * announced_;
    const uint64_t pages = last_ / kPage - first_ / kPage + 1;
    const bool is_one_part = last_ - first_ < most;
    const bool is_several = pages <= most && turns_ <= most / kPage;
    if (is_one_part || is_several) pages_.resize(pages, kNoPage);
  }
  Value& operator[](uint64_t id) {
    const uint64_t at = id / kPage - first_ / kPage;
    if (at >= pages_.size()) return sparse_[id];
    uint32_t& page = pages_[at];
    if (page == kNoPage) {
      page = static_cast<uint32_t>(values_.size() / kPage);
      values_.resize(values_.size() + kPage);
    }
    return values_[page * kPage + id % kPage];
  }
  // nullptr: nothing was put there; so may a default value be.
  const Value* Find(uint64_t id) const {
    const uint64_t at = id / kPage - first_ / kPage;
    if (at < pages_.size()) {
      return pages_[at] == kNoPage ? nullptr
                                   : &values_[pages_[at] * kPage + id % kPage];
    }
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? nullptr : &found->second;
  }

 private:
  static constexpr uint64_t kMaxHoles = 4;  // array places for each event
  static constexpr uint64_t kPage = 256;    // ids
  static constexpr uint32_t kNoPage = std::numeric_limits<uint32_t>::max();

  uint64_t first_ = std::numeric_limits<uint64_t>::max();
  uint64_t last_ = 0;
  uint64_t announced_ = 0;
  uint64_t latest_page_ = kNoPage;
  uint64_t turns_ = 0;           // from one page to another, as they came
  std::vector<uint32_t> pages_;  // of the ids, in values_
  std::vector<Value> values_;
  absl::flat_hash_map<uint64_t, Value> sparse_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_JOIN_CORRELATION_MAP_H_
