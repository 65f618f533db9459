// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_CAST_WEIGHTS_H_
#define DLTAP_ANALYZER_METRICS_CAST_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analyzer/metrics/made_sizes.h"
#include "analyzer/metrics/operand_touches.h"

namespace dltap::analyzer {

// Of what a step casts from 32 bits to 16 what stands for weights. The weights
// that a pass forward casts are as many as lie beside each other: the next pass
// casts them again, maybe to other places.
class CastWeights {
 public:
  explicit CastWeights(const std::vector<MadeTensor>& casts) : casts_(casts) {}

  void BeginStep(int64_t ns);
  void EndStep();

  // In time. The operands that a call of the forward pass reads as weights, 16
  // bits wide, and that have the size of what was cast right before it.
  std::vector<const Operand*> Add(const Touch& touch);

  // Casts of a pass by their bytes: as many as `least` of the steps have.
  std::map<int64_t, size_t> InSteps(size_t least) const;

 private:
  bool IsCastBefore(const Touch& touch, const Operand& operand) const;

  const std::vector<MadeTensor>& casts_;
  size_t next_ = 0;  // the first that may be before the next product
  int64_t last_touch_ns_ = std::numeric_limits<int64_t>::min();  // of a library
  std::map<int64_t, std::set<uint64_t>> of_pass_;  // addresses by bytes
  std::map<int64_t, size_t> most_;                 // of a pass of this step
  std::map<int64_t, std::vector<size_t>> by_step_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_CAST_WEIGHTS_H_
