// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_EXTERNAL_IDS_H_
#define DLTAP_SIMGPU_CUPTI_EXTERNAL_IDS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "simgpu/cupti/cupti_header.h"

namespace dltap::simgpu {

// The external correlation ids that one thread has pushed, by kind.
class ExternalIds {
 public:
  // False: no such kind.
  bool Push(CUpti_ExternalCorrelationKind kind, uint64_t id);
  // False: no such kind, or nothing is pushed.
  bool Pop(CUpti_ExternalCorrelationKind kind, uint64_t* id);

  // Calls visit(kind, id) with the innermost id of each kind that has one.
  template <typename Visit>
  void VisitInnermost(Visit visit) const {
    for (size_t kind = 0; kind < stacks_.size(); ++kind) {
      if (stacks_[kind].empty()) continue;
      visit(static_cast<CUpti_ExternalCorrelationKind>(kind),
            stacks_[kind].back());
    }
  }

  static ExternalIds& OfThread();

  static bool IsKind(CUpti_ExternalCorrelationKind kind) {
    return kind > CUPTI_EXTERNAL_CORRELATION_KIND_INVALID &&
           kind < CUPTI_EXTERNAL_CORRELATION_KIND_SIZE;
  }

 private:
  std::array<std::vector<uint64_t>, CUPTI_EXTERNAL_CORRELATION_KIND_SIZE>
      stacks_;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_EXTERNAL_IDS_H_
