// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layers/layer_places.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/metrics/base/alignment.h"
#include "analyzer/metrics/layers/layer_match.h"

namespace dltap::analyzer {
namespace {

// Scores of pairs when a pass is aligned with the layers so far.
constexpr int kIsKnown = 1000;  // it is this layer
constexpr int kSameForm = 3;
constexpr int kSameKind = 2;

constexpr uint32_t kNew = kNoLayer;
constexpr uint32_t kRepeats = kNoLayer - 1;  // it comes twice in the pass

}  // namespace

std::vector<LayerPlaces::ModuleKey> LayerPlaces::ModulesOf(
    const std::vector<uint32_t>& pass) const {
  std::vector<ModuleKey> keys;
  std::map<std::pair<RangeId, LayerClass>, size_t> seen;
  for (const uint32_t u : pass) {
    const LayerUnit& unit = units_[u];
    size_t name = 0;
    size_t number = 0;
    if (unit.module.known()) {
      name = 1 + process_.ranges[unit.module.value()].name.value();
      number = seen[{unit.module, unit.layer_class}]++;
    }
    keys.emplace_back(name, unit.layer_class, number);
  }
  return keys;
}

// Per unit: the layer that its weights or its module belong to; kNew, or
// kRepeats where an earlier one of the pass is the same new layer.
std::vector<uint32_t> LayerPlaces::Known(const std::vector<uint32_t>& pass) {
  std::vector<uint32_t> known(pass.size(), kNew);
  const std::vector<ModuleKey> modules = ModulesOf(pass);
  absl::flat_hash_map<uint64_t, size_t> weights;
  absl::flat_hash_map<ModuleKey, size_t> in_pass;
  for (size_t i = 0; i < pass.size(); ++i) {
    const uint64_t weight = units_[pass[i]].weight();
    if (std::get<0>(modules[i]) != 0) {
      const auto it = of_module_.find(modules[i]);
      if (it != of_module_.end()) known[i] = it->second;
      const bool is_first = in_pass.try_emplace(modules[i], i).second;
      if (known[i] == kNew && !is_first) known[i] = kRepeats;
    } else if (weight != 0) {
      const auto it = of_weight_.find(weight);
      if (it != of_weight_.end()) known[i] = it->second;
      const bool is_first = weights.try_emplace(weight, i).second;
      if (known[i] == kNew && !is_first) known[i] = kRepeats;
    }
  }
  return known;
}

// Two weights that one step uses are those of two layers; from step to step a
// layer's may move.
bool LayerPlaces::HasOtherWeight(uint32_t layer, const LayerUnit& unit) const {
  return unit.weight() != 0 && layers_[layer].weight_step == step_;
}

std::vector<uint32_t> LayerPlaces::AlignWithOrder(
    const std::vector<uint32_t>& pass, const std::vector<uint32_t>& known) {
  const std::vector<size_t> partner =
      Align(order_.size(), pass.size(), [&](size_t place, size_t i) {
        const uint32_t id = order_[place];
        if (known[i] != kNew) return known[i] == id ? kIsKnown : 0;
        const LayerUnit& unit = units_[pass[i]];
        if (layers_[id].kind != unit.kind || HasOtherWeight(id, unit)) return 0;
        return layers_[id].form == unit.form ? kSameForm : kSameKind;
      });
  std::vector<uint32_t> layers(pass.size(), kNoLayer);
  for (size_t i = 0; i < pass.size(); ++i) {
    if (known[i] < kRepeats) {
      layers[i] = known[i];
    } else if (partner[i] != kNotAligned) {
      layers[i] = order_[partner[i]];
    }
  }
  return layers;
}

// New layers stand behind the one before them in the pass; at its beginning,
// before the one after them.
void LayerPlaces::AddNew(const std::vector<uint32_t>& pass,
                         const std::vector<uint32_t>& known,
                         std::vector<uint32_t>& layers) {
  size_t at = order_.size();
  const auto first = std::find_if(layers.begin(), layers.end(),
                                  [](uint32_t id) { return id != kNoLayer; });
  if (first != layers.end()) {
    at = std::find(order_.begin(), order_.end(), *first) - order_.begin();
  }
  for (size_t i = 0; i < pass.size(); ++i) {
    if (known[i] == kRepeats) continue;
    if (layers[i] == kNoLayer) {
      const LayerUnit& unit = units_[pass[i]];
      layers[i] = static_cast<uint32_t>(layers_.size());
      layers_.push_back({pass[i], unit.kind, unit.form});
      order_.insert(order_.begin() + static_cast<ptrdiff_t>(at), layers[i]);
    } else {
      at = std::find(order_.begin(), order_.end(), layers[i]) - order_.begin();
    }
    ++at;
  }
}

void LayerPlaces::Remember(const std::vector<uint32_t>& pass,
                           std::vector<uint32_t>& layers, bool is_used) {
  const std::vector<ModuleKey> modules = ModulesOf(pass);
  for (size_t i = 0; i < pass.size(); ++i) {
    const uint64_t weight = units_[pass[i]].weight();
    if (std::get<0>(modules[i]) != 0) {
      layers[i] = of_module_.try_emplace(modules[i], layers[i]).first->second;
    } else if (weight != 0) {
      layers[i] = of_weight_.try_emplace(weight, layers[i]).first->second;
      layers_[layers[i]].weight_step = step_;
    }
    Layer& layer = layers_[layers[i]];
    if (layer.is_used || !is_used) continue;
    layer.first = pass[i];
    layer.is_used = true;
  }
}

std::vector<uint32_t> LayerPlaces::Place(const std::vector<uint32_t>& pass,
                                         size_t step, bool is_used) {
  step_ = step;
  const std::vector<uint32_t> known = Known(pass);
  std::vector<uint32_t> key = known;
  bool new_weight = false;
  for (size_t i = 0; i < pass.size(); ++i) {
    key.push_back(units_[pass[i]].kind);
    new_weight |= known[i] >= kRepeats && (units_[pass[i]].weight() != 0 ||
                                           units_[pass[i]].module.known());
  }
  if (!new_weight) {
    const auto it = placed_.find(key);
    if (it != placed_.end()) {
      std::vector<uint32_t> layers = it->second;
      Remember(pass, layers, is_used);
      return layers;
    }
  }
  std::vector<uint32_t> layers = AlignWithOrder(pass, known);
  AddNew(pass, known, layers);
  Remember(pass, layers, is_used);
  if (!new_weight) placed_.emplace(std::move(key), layers);
  return layers;
}

}  // namespace dltap::analyzer
