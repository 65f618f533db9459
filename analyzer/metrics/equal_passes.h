// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_EQUAL_PASSES_H_
#define DLTAP_ANALYZER_METRICS_EQUAL_PASSES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/model/trace_model.h"

// Passes forward and backward whose gradients one update adds up: a batch in
// parts. METRICS.md "Avoidable work", micro_batches.
namespace dltap::analyzer {

class EqualPasses {
 public:
  struct Kernel {
    TextId name;
    double ns;
    // What its work takes where nothing but its size matters; nullopt: unknown.
    std::optional<double> work_ns;
    bool is_new;
  };
  struct Sums {
    uint64_t passes = 0;
    double ns = 0;
    double first_ns = 0;   // of the first pass, which adds no gradients up
    double merged_ns = 0;  // of one pass over all parts, at worst
  };

  void AddForward(const Kernel& kernel);
  void AddBackward(const Kernel& kernel);
  // An update, or the end of a step: nullopt if the passes before it are not
  // parts of a batch.
  std::optional<Sums> Take();

 private:
  static constexpr size_t kLeastKernels = 4;  // of a pass forward

  struct Pass {
    uint64_t names = 0;  // of its kernels forward, in their order
    size_t forward = 0;
    size_t backward = 0;
    double ns = 0;
    bool is_new = false;
  };
  bool ArePartsOfABatch() const;
  void Add(const Kernel& kernel);

  std::vector<Pass> passes_;
  std::vector<Kernel> kernels_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_EQUAL_PASSES_H_
