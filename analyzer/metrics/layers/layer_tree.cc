// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layers/layer_tree.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

// "Linear_3" and "Linear_7" are both a Linear.
std::string WithoutNumber(const std::string& module) {
  const size_t end = module.find_last_not_of("0123456789");
  if (end == std::string::npos || end + 1 == module.size()) return module;
  return module[end] == '_' ? module.substr(0, end) : module;
}

}  // namespace

LayerIdentity GroupOf(LayerIdentity layer) {
  layer.module = WithoutNumber(layer.module);
  layer.number = 0;
  return layer;
}

LayerTreeKeeper::LayerTreeKeeper(const ProcessLayers& layers, size_t most)
    : layers_(layers) {
  for (size_t row = 0; row < static_cast<size_t>(LayerRow::kCount); ++row) {
    keys_.push_back({static_cast<LayerRow>(row), {}});
  }
  const bool in_groups = layers.layers.size() > most;
  std::map<LayerIdentity, uint32_t> groups;
  for (const LayerIdentity& layer : layers.layers) {
    const LayerIdentity key = in_groups ? GroupOf(layer) : layer;
    const auto [it, is_new] =
        groups.try_emplace(key, static_cast<uint32_t>(keys_.size()));
    if (is_new) keys_.push_back({LayerRow::kLayer, key});
    key_of_.push_back(it->second);
  }
}

void LayerTreeKeeper::Add(size_t activity, const TallyRows& rows, int64_t ns,
                          const Efficiency& efficiency) {
  const LayerOfActivity& at = layers_.of_activity[activity];
  const uint32_t key = at.row == LayerRow::kLayer
                           ? key_of_[at.layer]
                           : static_cast<uint32_t>(at.row);
  Sums& sums = sums_[{key, rows.op, rows.kernel}];
  sums.ops += rows.new_op;
  sums.kernels.count += rows.new_kernel;
  sums.kernels.gpu_ns += ns;
  sums.efficiency.Add(efficiency);
}

// In the order of what the rows are, not of where they lie: sums of other
// orders differ in their last digit.
void LayerTreeKeeper::AddTo(LayerTree& tree) const {
  std::vector<std::pair<Place, Sums>> rows(sums_.begin(), sums_.end());
  std::ranges::sort(rows, [](const auto& a, const auto& b) {
    const auto& [a_key, a_op, a_kernel] = a.first;
    const auto& [b_key, b_op, b_kernel] = b.first;
    return std::tie(a_key, *a_op, *a_kernel) <
           std::tie(b_key, *b_op, *b_kernel);
  });
  for (const auto& [place, sums] : rows) {
    const auto& [key, op, kernel] = place;
    OpSums& into = tree[keys_[key]][*op];
    into.count += sums.ops;
    into.gpu_ns += sums.kernels.gpu_ns;
    into.efficiency.Add(sums.efficiency);
    OpKernelSums& of_kernel = into.kernels[*kernel];
    of_kernel.count += sums.kernels.count;
    of_kernel.gpu_ns += sums.kernels.gpu_ns;
  }
}

}  // namespace dltap::analyzer
