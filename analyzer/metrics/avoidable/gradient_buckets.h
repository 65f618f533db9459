// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_GRADIENT_BUCKETS_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_GRADIENT_BUCKETS_H_

#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace dltap::analyzer {

// Memory that all-reduces send, in which gradients are gathered. METRICS.md
// "Avoidable work", bucket_copies.
class GradientBuckets {
 public:
  void Add(uint64_t address, uint64_t bytes) {
    uint64_t& size = now_[address];
    size = size < bytes ? bytes : size;
  }
  // What the window before sent counts, too: copies come before what they are
  // for.
  bool Holds(uint64_t address) const {
    return Holds(now_, address) || Holds(before_, address);
  }
  void EndWindow() {
    if (!now_.empty()) before_ = std::move(now_);
    now_.clear();
  }

 private:
  using Spans = std::map<uint64_t, uint64_t>;  // bytes, by address

  static bool Holds(const Spans& spans, uint64_t address) {
    const auto after = spans.upper_bound(address);
    if (after == spans.begin()) return false;
    const auto& [begin, bytes] = *std::prev(after);
    return address - begin < bytes;
  }

  Spans now_;
  Spans before_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_GRADIENT_BUCKETS_H_
