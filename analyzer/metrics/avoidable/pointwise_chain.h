// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_POINTWISE_CHAIN_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_POINTWISE_CHAIN_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "analyzer/model/trace_model.h"

// A formula that a framework evaluates operation by operation: kernels in a row
// on one stream, each of which reads from memory what the one before wrote.
// METRICS.md "Avoidable work", pointwise.
namespace dltap::analyzer {

class PointwiseChain {
 public:
  // `ns` of a kernel that lies inside the windows; `is_new`: it was not counted
  // before.
  void Add(TextId name, double ns, bool is_new);
  // Of the formula where it lies between two of its kernels, or of a product's
  // weights or their gradient; at either end it is not the formula's.
  void AddCast(double ns, bool is_new);
  // Whether so many that one kernel would be less.
  bool IsLong() const { return kernels_ >= kLeastKernels; }

  uint64_t count() const { return count_; }
  double ns() const { return ns_; }
  // Each element read and written once, as by the longest of the kernels; of
  // half the width, where casts made it wider.
  double best_ns() const {
    return casts_ns_ > 0 ? longest_ns_ / 2 : longest_ns_;
  }
  // Once more than the chain has one and the same kernel: those may be of as
  // many tensors, or of as many passes over one. No pass is shorter than a
  // launch. Casts stay.
  double worst_ns() const;

 private:
  static constexpr size_t kLeastKernels = 4;

  struct Casts {
    uint64_t count = 0;
    double ns = 0;
  };

  // By name: few differ, and there are chains in every step.
  absl::InlinedVector<std::pair<TextId, size_t>, 8> kernels_of_;
  size_t most_ = 0;  // of one name
  size_t kernels_ = 0;
  uint64_t count_ = 0;  // of them that are new
  double ns_ = 0;
  double longest_ns_ = 0;
  double casts_ns_ = 0;  // of `ns_`
  Casts pending_;        // after the last kernel
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_POINTWISE_CHAIN_H_
