// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_CELL_NODES_H_
#define DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_CELL_NODES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/attribution/base/attributed.h"
#include "analyzer/attribution/base/range_index.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The nodes of autograd that belong to recurrent cells, where the trace numbers
// nodes: what a cell's forward pass did tells what its backward pass is. Holds
// references to what it is given.
class CellNodes {
 public:
  CellNodes(const TraceModel& model, const Process& process,
            const RangeIndex& ranges, const ProcessAttribution& attribution);

  // Whether an operator that is a whole cell, its products included, launched
  // the activity: nothing is left for another cell to find.
  bool IsInWholeCell(size_t activity) const;

  // The node that the activity makes or runs in; -1: not known.
  int64_t NodeOf(size_t activity);

  // Whether the node is one of a whole cell.
  bool IsOfWholeCell(int64_t node) const { return whole_nodes_.contains(node); }

  // Nodes of products of other cells.
  void Add(int64_t node) {
    if (node >= 0) nodes_.insert(node);
  }
  bool Has(int64_t node) const { return nodes_.contains(node); }

 private:
  RangeId InnermostOf(size_t activity) const;
  bool IsNode(const Range& range);
  bool IsOfLibrary(size_t activity) const;
  bool IsProduct(TextId kernel);
  void FindWholeCells();

  const TraceModel& model_;
  const Process& process_;
  const RangeIndex& ranges_;
  const ProcessAttribution& attribution_;
  bool any_ = false;                   // nodes have numbers
  absl::flat_hash_set<size_t> whole_;  // ranges
  absl::flat_hash_set<int64_t> whole_nodes_;
  absl::flat_hash_set<int64_t> nodes_;
  absl::flat_hash_map<size_t, bool> names_;     // of nodes
  absl::flat_hash_map<size_t, bool> products_;  // by name of kernel
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_CELL_NODES_H_
