// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_COMPARE_LAYER_PAIRS_H_
#define DLTAP_ANALYZER_COMPARE_LAYER_PAIRS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/compare/step_samples.h"

namespace dltap::analyzer {

// The layers of a run that do the same, or what no layer owns.
struct LayerGroup {
  LayerRow row = LayerRow::kLayer;
  LayerClass layer_class = LayerClass::kUnattributed;
  std::string name;
  std::string weights;  // see WeightsOf(operation)
  uint64_t layers = 0;  // 0: there are none such
  double gpu_ns = 0;    // per step; without steps, over the run
  double calls = 0;     // the same, of the forward operation
  double flops = 0;
  double recompute_ns = 0;  // of gpu_ns

  // Of the passes forward and backward, by time where some is computed again.
  double flops_of_passes() const {
    return gpu_ns > 0 ? flops * (1 - recompute_ns / gpu_ns) : flops;
  }
};

struct LayerPair {
  LayerGroup base;
  LayerGroup now;

  const LayerGroup& any() const { return base.layers > 0 ? base : now; }
};

// By class and operation, whatever its precision; groups that are left over by
// their weights, whatever the batch, in the order of the forward pass, if both
// sides have as many of these weights. Where the two name operations
// differently (another source of the trace, another GPU), the rest is paired in
// that order, if a class has as many on both sides. New ones go last.
std::vector<LayerPair> PairLayers(const Side& base, const Side& now);

// Whether both name operations alike: one kind of trace, one GPU.
bool NameAlike(const Side& base, const Side& now);

// "gemm 256x192x64 bf16": the precision a name ends with; empty: none.
std::string_view PrecisionOf(std::string_view name);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_COMPARE_LAYER_PAIRS_H_
