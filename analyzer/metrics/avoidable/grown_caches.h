// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_GROWN_CACHES_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_GROWN_CACHES_H_

#include <cstdint>
#include <vector>

#include "opmodel/operation.h"

namespace dltap::analyzer {

// Keys and values of the tokens before, which each new token copies as a whole
// to join its own to them. METRICS.md "Avoidable work", grown_caches.
class GrownCaches {
 public:
  struct Sums {
    uint64_t count = 0;
    double ns = 0;
    double worst_ns = 0;  // of that, in memory for all tokens
  };

  // A kernel that joins tensors. All kernels come in the device's order.
  void AddConcatenation(double ns, bool is_new);
  // What a library call computes: which of the kernels since the last one have
  // copied keys or values for it. `bandwidth` is the memory's, bytes per ns.
  Sums AddOperation(const opmodel::Operation& op, double bandwidth);

 private:
  struct Copy {
    double ns;
    bool is_new;
  };
  std::vector<Copy> copies_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_GROWN_CACHES_H_
