// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_PIPELINE_GRAPH_H_
#define DLTAP_ANALYZER_QUERY_PIPELINE_GRAPH_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/query/pipeline_operation.h"

namespace dltap::analyzer {

struct PipelineNode {
  OperationKind kind;
  int sequence;
  int stage;

  auto operator<=>(const PipelineNode&) const = default;
};

// Operations that end together: each begins when what it needs has ended, all
// end from the last beginning on. Most are alone.
struct PipelineMeeting {
  std::vector<size_t> nodes;
  bool over_replicas = false;  // with the same node of all replicas
  bool is_transfer = false;
};

// What each operation of a step waits for. All replicas and steps do the same.
struct PipelineGraph {
  std::vector<PipelineNode> nodes;
  std::map<PipelineNode, size_t> index;
  std::vector<std::vector<size_t>> needs;  // by node
  std::vector<PipelineMeeting> meetings;   // in an order that can be run
  int stages = 0;
};

// By the operations of one step of one replica. `replicated`: several replicas
// exchange gradients. kInvalidArgument: they cannot be what a pipeline does.
absl::StatusOr<PipelineGraph> MakePipelineGraph(
    const std::vector<PipelineOperation>& operations, bool replicated);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_PIPELINE_GRAPH_H_
