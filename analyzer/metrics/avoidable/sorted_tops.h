// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_SORTED_TOPS_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_SORTED_TOPS_H_

#include <cstdint>

namespace dltap::analyzer {

// Sorts of many numbers, of which only a few are used. METRICS.md "Avoidable
// work", sorted_tops.
class SortedTops {
 public:
  struct Sums {
    uint64_t count = 0;  // sorts
    double ns = 0;       // with what they copy and number before
    double bytes = 0;    // that are sorted
  };

  // All copies on a device, and all kernels forward, in time.
  void AddCopy(double bytes, double ns);
  // The copy's time, with its first kernel.
  double AddSort(double ns, bool is_new);
  // Of `blocks`; what sorts turn out to have been.
  Sums AddOther(double ns, uint64_t blocks);
  void AddBackward() { *this = {}; }

 private:
  enum class Stage : uint8_t { kNone, kCopied, kNumbered, kSorted };
  Stage stage_ = Stage::kNone;
  uint64_t others_ = 0;  // behind the sort
  Sums sort_;
  double copy_ns_ = 0;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_SORTED_TOPS_H_
