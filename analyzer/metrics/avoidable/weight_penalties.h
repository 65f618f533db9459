// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_WEIGHT_PENALTIES_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_WEIGHT_PENALTIES_H_

#include <cstdint>

#include "absl/container/flat_hash_set.h"

namespace dltap::analyzer {

// Many tensors, each of which is reduced to a number before the next one, and
// the numbers added up: a penalty over all weights in the loss. METRICS.md
// "Avoidable work", weight_penalties.
class WeightPenalties {
 public:
  enum class Use : uint8_t {
    kReduction,  // PyTorch's
    kSum,        // of two tensors
    kOther
  };
  struct Kernel {
    Use use;
    uint64_t blocks;
    double ns;
    bool is_new;
  };
  struct Sums {
    uint64_t count = 0;  // kernels
    double ns = 0;
  };

  // All kernels of a device in time that are single operations.
  void AddForward(const Kernel& kernel);
  void AddBackward(const Kernel& kernel);
  void AddOther(bool is_backward);
  // Those since it was asked.
  Sums Take();

 private:
  void EndTensor();
  void EndRow();

  Sums tensor_;                          // the one in work
  uint64_t kernels_ = 0;                 // of it
  uint64_t blocks_ = 0;                  // most of one of them
  bool is_reduced_ = false;              // by the last of them
  Sums row_;                             // of tensors
  uint64_t tensors_ = 0;                 // of the row
  absl::flat_hash_set<uint64_t> sizes_;  // of them, in blocks
  bool has_penalty_ = false;             // the pass
  Sums sums_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_WEIGHT_PENALTIES_H_
