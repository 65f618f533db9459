// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_LAYER_BRANCHES_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_LAYER_BRANCHES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/metrics/layers/layer_tree.h"

namespace dltap::analyzer {

// What a layer, or what no layer owns, has of a class.
struct LayerBranch {
  LayerClass layer_class{};
  LayerKey layer;
  uint64_t kernels = 0;
  int64_t gpu_ns = 0;
  std::optional<double> tflops;
  std::vector<OpRow> ops;  // by GPU time, descending; without their share
};

// By GPU time, descending.
std::vector<LayerBranch> BranchesOf(const LayerTree& tree);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_LAYER_BRANCHES_H_
