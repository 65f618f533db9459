// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_GAP_LIST_H_
#define DLTAP_ANALYZER_EXPORTERS_GAP_LIST_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/metrics/idle/gap.h"

namespace dltap::analyzer {

// What a table says of a gap, in a quarter of the room of a Gap: there may be
// one for each kernel.
struct KeptGap {
  int64_t begin_ns;
  int64_t end_ns;
  uint32_t device;
  uint32_t step;
  ActivityId ended_by;  // none: the window's end
  CallId drained_in;
  uint32_t causes_end;  // in GapList
  LayerClass layer_class = LayerClass::kUnattributed;
  bool is_charged = false;  // to that class; else it lies between steps
  DrainedBy drained_by = DrainedBy::kNone;
};

// The gaps of a process, and their causes but those of no time.
class GapList {
 public:
  void Reserve(size_t gaps);
  void Add(const ProcessAttribution& attribution, DeviceId device, size_t step,
           const Gap& gap);

  std::span<const KeptGap> gaps() const { return gaps_; }
  // visit(cause, ns)
  template <typename Visit>
  void VisitCauses(size_t gap, Visit visit) const {
    size_t i = gap == 0 ? 0 : gaps_[gap - 1].causes_end;
    for (; i < gaps_[gap].causes_end; ++i) visit(causes_[i], cause_ns_[i]);
  }

 private:
  std::vector<KeptGap> gaps_;
  std::vector<uint8_t> causes_;
  std::vector<int64_t> cause_ns_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_GAP_LIST_H_
