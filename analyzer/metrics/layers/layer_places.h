// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_LAYERS_LAYER_PLACES_H_
#define DLTAP_ANALYZER_METRICS_LAYERS_LAYER_PLACES_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/metrics/layers/layer_units.h"

namespace dltap::analyzer {

// Says which layer each operation of a forward pass is. Passes are aligned with
// those before, by class and sizes; what has no counterpart is a new layer at
// its place. Equal addresses of weights, and calls of one nn.Module, are the
// same layer wherever they come. Holds references.
class LayerPlaces {
 public:
  LayerPlaces(const Process& process, const std::vector<LayerUnit>& units)
      : process_(process), units_(units) {}

  // Layers of the units `pass`, which are one forward pass, in order.
  // `is_used`: it is of a step that the report counts.
  std::vector<uint32_t> Place(const std::vector<uint32_t>& pass, size_t step,
                              bool is_used);

  // Layers in the order of the forward pass.
  const std::vector<uint32_t>& order() const { return order_; }
  // The first unit of the layer, of a used step if there is one.
  uint32_t FirstUnitOf(uint32_t layer) const { return layers_[layer].first; }
  size_t size() const { return layers_.size(); }

 private:
  struct Layer {
    uint32_t first;  // unit
    uint32_t kind;
    uint32_t form;
    bool is_used = false;          // the unit
    size_t weight_step = kNoStep;  // the last that its weights were seen in
  };
  static constexpr size_t kNoStep = static_cast<size_t>(-1);
  // Name of the module, class, how many of the class came before in its call.
  using ModuleKey = std::tuple<size_t, LayerClass, size_t>;

  std::vector<uint32_t> Known(const std::vector<uint32_t>& pass);
  std::vector<uint32_t> AlignWithOrder(const std::vector<uint32_t>& pass,
                                       const std::vector<uint32_t>& known);
  std::vector<ModuleKey> ModulesOf(const std::vector<uint32_t>& pass) const;
  void AddNew(const std::vector<uint32_t>& pass,
              const std::vector<uint32_t>& known,
              std::vector<uint32_t>& layers);
  void Remember(const std::vector<uint32_t>& pass,
                std::vector<uint32_t>& layers, bool is_used);
  bool HasOtherWeight(uint32_t layer, const LayerUnit& unit) const;

  const Process& process_;
  const std::vector<LayerUnit>& units_;
  size_t step_ = kNoStep;
  std::vector<Layer> layers_;
  std::vector<uint32_t> order_;
  absl::flat_hash_map<uint64_t, uint32_t> of_weight_;
  absl::flat_hash_map<ModuleKey, uint32_t> of_module_;
  absl::flat_hash_map<std::vector<uint32_t>, std::vector<uint32_t>> placed_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_LAYERS_LAYER_PLACES_H_
