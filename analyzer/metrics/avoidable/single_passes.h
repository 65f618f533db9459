// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_SINGLE_PASSES_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_SINGLE_PASSES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Passes forward over parts of an array that lie one behind the other, which
// one pass could take at once. METRICS.md "Avoidable work", single_passes.
class SinglePasses {
 public:
  struct Kernel {
    TextId name;
    double ns;
    // What its work takes where nothing but its size matters; nullopt: unknown.
    std::optional<double> work_ns;
    bool is_new;
    bool goes_on;  // of the same product as the one before it
  };
  // What a product or a convolution reads.
  struct Input {
    uint64_t weights;
    uint64_t address;
    uint64_t bytes;
    uint64_t output;  // of a product; 0: not known
    int64_t samples;
  };
  struct Sums {
    uint64_t count = 0;  // passes
    double ns = 0;
    double best_ns = 0;   // of one pass at best
    double worst_ns = 0;  // and at worst
  };

  // All kernels forward of a device in time; `input` where it is known.
  void Add(const Kernel& kernel, const std::optional<Input>& input);
  void AddBackward() { EndRow(); }
  void AddCell() { EndRow(); }
  // Those since it was asked. Rows go on over single samples: of several each
  // window may have its own batch.
  Sums Take();

 private:
  struct Pass {
    uint64_t names = 0;  // of its kernels, in their order
    std::vector<Kernel> kernels;
  };
  bool Continues(const Input& input);
  bool IsJoin(const Input& input) const;
  void EndPass();
  void EndRow();
  void Count(const Pass& pass);

  absl::flat_hash_map<uint64_t, Input> last_;  // by weights
  std::optional<Input> product_;               // right before
  uint64_t anchor_ = 0;        // the weights that begin a pass; 0: none
  int64_t samples_ = 0;        // of the row's passes
  Pass pass_;                  // that has begun
  uint64_t names_ = 0;         // of the row's passes
  uint64_t passes_ = 0;        // of the row
  std::vector<Pass> waiting_;  // of a row that may become long enough
  Sums sums_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_SINGLE_PASSES_H_
