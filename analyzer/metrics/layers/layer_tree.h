// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_LAYERS_LAYER_TREE_H_
#define DLTAP_ANALYZER_METRICS_LAYERS_LAYER_TREE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/metrics/classes/tallies.h"
#include "analyzer/metrics/layers/layer_finder.h"
#include "analyzer/metrics/layers/layer_summary.h"

namespace dltap::analyzer {

// The ops of each layer. Those of one op in all layers sum to the op in
// Tallies, those of one layer to its LayerSums.
using LayerTree = std::map<LayerKey, std::map<OpKey, OpSums>>;

// A layer without what tells equal ones apart.
LayerIdentity GroupOf(LayerIdentity layer);

// Fills a tree with what a device did. Holds references.
class LayerTreeKeeper {
 public:
  // Of more than `most` layers those that are equal become one.
  LayerTreeKeeper(const ProcessLayers& layers, size_t most);

  // `ns` of the activity lie inside the windows.
  void Add(size_t activity, const TallyRows& rows, int64_t ns,
           const Efficiency& efficiency);
  // While the tallies live that the rows are of.
  void AddTo(LayerTree& tree) const;

 private:
  using Place = std::tuple<uint32_t, const OpKey*, const std::string*>;
  struct Sums {
    uint64_t ops = 0;
    OpKernelSums kernels;
    Efficiency efficiency;
  };

  const ProcessLayers& layers_;
  std::vector<LayerKey> keys_;    // the rows of no layer, then the layers
  std::vector<uint32_t> key_of_;  // by layer
  absl::flat_hash_map<Place, Sums> sums_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_LAYERS_LAYER_TREE_H_
