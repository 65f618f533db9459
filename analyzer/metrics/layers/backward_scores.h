// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_LAYERS_BACKWARD_SCORES_H_
#define DLTAP_ANALYZER_METRICS_LAYERS_BACKWARD_SCORES_H_

#include <cstdint>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/layers/layer_unit.h"

namespace dltap::analyzer {

// How well backward units fit forward ones by class, sizes and kernels alone.
// Holds references.
class BackwardScores {
 public:
  BackwardScores(const ProcessAttribution& attribution,
                 const std::vector<LayerUnit>& units)
      : attribution_(attribution), units_(units) {}

  // 0: not at all.
  int OfPair(uint32_t backward, uint32_t forward) const;
  // Of one more backward unit of a forward one that has some.
  int OfPart(uint32_t backward, uint32_t forward) const;
  bool MayBeGradientOf(uint32_t backward, uint32_t forward) const;
  // null: unknown.
  const opmodel::Operation* SizesOf(uint32_t unit) const;
  // A gemm of known sizes, and no other.
  bool IsOneProduct(uint32_t unit) const;

 private:
  const ProcessAttribution& attribution_;
  const std::vector<LayerUnit>& units_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_LAYERS_BACKWARD_SCORES_H_
