// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/layer_pairs.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "analyzer/metrics/layers/layer_names.h"
#include "opmodel/operation.h"
#include "shim/specs/words.h"

namespace dltap::analyzer {
namespace {

using GroupKey = std::tuple<LayerRow, LayerClass, std::string>;

GroupKey KeyOf(const LayerFigures& layer) {
  std::string_view name = layer.identity.operation;
  name.remove_suffix(PrecisionOf(name).size());
  while (name.ends_with(' ')) name.remove_suffix(1);
  return {layer.row, layer.identity.layer_class, std::string(name)};
}

// No GPU: no names that could differ.
std::string_view GpuOf(const Side& side) {
  const auto& gpus = side.figures->program.gpus;
  return gpus.empty() ? std::string_view() : gpus.begin()->first;
}

void AddLayer(const LayerFigures& layer, const Side& side, LayerGroup& group) {
  group.row = layer.row;
  group.layer_class = layer.identity.layer_class;
  if (group.name.empty()) {
    group.name = layer.row == LayerRow::kLayer ? layer.identity.operation
                                               : std::string(Name(layer.row));
    group.weights = WeightsOf(layer.identity.operation);
  }
  ++group.layers;
  group.gpu_ns += layer.step_mean.gpu_ns;
  group.calls += layer.step_mean.calls;
  group.recompute_ns += layer.step_mean.recompute_ns;
  group.flops += layer.sums.efficiency.flops / side.figures->totals.per_step();
}

// Of groups that are left over, those with one key; an empty one pairs none.
void PairInOrder(std::string (*key_of)(const LayerGroup&),
                 std::vector<LayerPair>& pairs) {
  std::map<std::string, std::array<std::vector<size_t>, 2>> left;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const LayerPair& pair = pairs[i];
    if (pair.any().row != LayerRow::kLayer) continue;
    if (pair.base.layers > 0 && pair.now.layers > 0) continue;
    left[key_of(pair.any())][pair.base.layers > 0 ? 0 : 1].push_back(i);
  }
  left.erase("");
  for (const auto& [key, places] : left) {
    const auto& [of_base, of_now] = places;
    if (of_base.size() != of_now.size()) continue;
    for (size_t i = 0; i < of_base.size(); ++i) {
      std::swap(pairs[of_base[i]].now, pairs[of_now[i]].now);
    }
  }
  std::erase_if(pairs, [](const LayerPair& pair) {
    return pair.base.layers == 0 && pair.now.layers == 0;
  });
}

std::string WeightsOfGroup(const LayerGroup& group) { return group.weights; }

std::string ClassOfGroup(const LayerGroup& group) {
  return std::string(Name(group.layer_class));
}

}  // namespace

bool NameAlike(const Side& base, const Side& now) {
  return base.summary->formats == now.summary->formats &&
         GpuOf(base) == GpuOf(now);
}

std::string_view PrecisionOf(std::string_view name) {
  const std::string_view last = name.substr(name.rfind(' ') + 1);
  return specs::FromName<opmodel::DType>(last) ? last : std::string_view();
}

std::vector<LayerPair> PairLayers(const Side& base, const Side& now) {
  std::map<GroupKey, size_t> places;
  std::vector<LayerPair> pairs;
  const auto add = [&](const Side& side, LayerGroup LayerPair::*group) {
    for (const LayerFigures& layer : side.figures->layers.layers) {
      const auto [at, is_new] = places.try_emplace(KeyOf(layer), pairs.size());
      if (is_new) pairs.emplace_back();
      AddLayer(layer, side, pairs[at->second].*group);
    }
  };
  add(base, &LayerPair::base);
  add(now, &LayerPair::now);
  PairInOrder(WeightsOfGroup, pairs);
  if (!NameAlike(base, now)) PairInOrder(ClassOfGroup, pairs);
  return pairs;
}

}  // namespace dltap::analyzer
