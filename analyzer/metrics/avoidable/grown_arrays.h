// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_GROWN_ARRAYS_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_GROWN_ARRAYS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dltap::analyzer {

// An array to which each turn of a loop appends a part, by a concatenation that
// copies all parts before. METRICS.md "Avoidable work", grown_arrays.
class GrownArrays {
 public:
  struct Sums {
    uint64_t count = 0;  // concatenations
    double ns = 0;
    double last_ns = 0;  // the longest ones, which copy each part once
  };

  // All kernels of a device in time; `kind`: what operation of a library it is.
  void AddOperation(uint32_t kind);
  void AddConcatenation(double ns, bool is_new);
  // Those since it was asked.
  Sums Take();

 private:
  bool Grows(double ns) const;
  void EndRow();

  std::vector<uint32_t> kinds_;   // since the last concatenation
  std::vector<uint32_t> before_;  // between the two before
  std::vector<double> row_;       // concatenations that grow evenly
  uint64_t new_in_row_ = 0;
  Sums sums_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_GROWN_ARRAYS_H_
