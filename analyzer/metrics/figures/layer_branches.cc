// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/layer_branches.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/metrics/base/known_part.h"

namespace dltap::analyzer {
namespace {

LayerBranch BranchOf(const LayerKey& layer, LayerClass layer_class,
                     std::vector<OpRow> ops) {
  LayerBranch out;
  out.layer_class = layer_class;
  out.layer = layer;
  Efficiency efficiency;
  for (OpRow& op : ops) {
    op.tflops = op.sums.efficiency.tflops();
    out.gpu_ns += op.sums.gpu_ns;
    for (const auto& [name, sums] : op.sums.kernels) out.kernels += sums.count;
    efficiency.Add(op.sums.efficiency);
  }
  out.tflops = RateOfRow(efficiency.tflops(), efficiency.known_ns, out.gpu_ns);
  std::stable_sort(ops.begin(), ops.end(), [](const OpRow& a, const OpRow& b) {
    return a.sums.gpu_ns > b.sums.gpu_ns;
  });
  out.ops = std::move(ops);
  return out;
}

}  // namespace

std::vector<LayerBranch> BranchesOf(const LayerTree& tree) {
  std::vector<LayerBranch> out;
  for (const auto& [layer, ops] : tree) {
    std::map<LayerClass, std::vector<OpRow>> by_class;
    for (const auto& [key, sums] : ops) {
      const auto& [name, layer_class, direction] = key;
      by_class[layer_class].push_back(
          {name, layer_class, direction, sums, std::nullopt, std::nullopt});
    }
    for (auto& [layer_class, rows] : by_class) {
      out.push_back(BranchOf(layer, layer_class, std::move(rows)));
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const LayerBranch& a, const LayerBranch& b) {
                     return a.gpu_ns > b.gpu_ns;
                   });
  return out;
}

}  // namespace dltap::analyzer
