// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_EQUAL_PASSES_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_EQUAL_PASSES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "analyzer/model/trace_model.h"

// Passes forward and backward whose gradients one update adds up: a batch in
// parts. METRICS.md "Avoidable work", micro_batches.
namespace dltap::analyzer {

class EqualPasses {
 public:
  // What a product multiplies its input with; address 0: not known.
  struct Weights {
    uint64_t address = 0;
    double elements = 0;  // 0: of no product, or not asked for
  };
  struct Kernel {
    TextId name;
    double ns;
    // What its work takes where nothing but its size matters; nullopt: unknown.
    std::optional<double> work_ns;
    bool is_new;
    Weights weights{};
  };
  // All-reduces of the gradients.
  struct Sends {
    uint64_t count = 0;
    double ns = 0;
    double last_ns = 0;  // of the last pass, which has all that is needed
  };
  struct Sums {
    uint64_t passes = 0;
    double ns = 0;
    double first_ns = 0;   // of the first pass, which adds no gradients up
    double merged_ns = 0;  // of one pass over all parts, at worst
    Sends sends;           // of passes that each send all gradients
  };

  void AddForward(const Kernel& kernel);
  void AddBackward(const Kernel& kernel);
  void AddAllReduce(double bytes, double ns, bool is_new);
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
    size_t sent = 0;  // all-reduces
    size_t sent_forward = 0;
    size_t new_sent = 0;
    double sent_bytes = 0;
    double sent_ns = 0;
  };
  bool ArePartsOfABatch() const;
  bool SendTheirGradients() const;
  void Add(const Kernel& kernel);
  void Clear();

  std::vector<Pass> passes_;
  std::vector<Kernel> kernels_;
  std::set<uint64_t> weights_;  // of the first pass
  double weight_elements_ = 0;  // in it
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_EQUAL_PASSES_H_
