// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_PIPELINE_REPLAY_H_
#define DLTAP_ANALYZER_QUERY_PIPELINE_REPLAY_H_

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/query/pipeline_graph.h"

namespace dltap::analyzer {

// Lengths of operations: a row for each node of the graph, a column for each
// replica of each step (step * replicas + replica). A transfer's length is from
// the last arrival on.
using OperationLengths = std::vector<std::vector<double>>;

// All replicas and steps of a job, with what an operation waits for.
class PipelineReplay {
 public:
  // `replicated`: see MakePipelineGraph. Steps that lack an operation are left
  // out. kInvalidArgument: no step is whole, or operations fit no pipeline.
  static absl::StatusOr<PipelineReplay> Make(
      const std::vector<PipelineOperation>& operations, bool replicated);

  const PipelineGraph& graph() const { return graph_; }
  int replicas() const { return replicas_; }
  size_t steps() const { return steps_; }
  size_t left_out_steps() const { return left_out_steps_; }
  const OperationLengths& lengths() const { return lengths_; }
  int rank(int stage, int replica) const;
  double mean_recorded_s() const { return mean_recorded_s_; }

  // Each operation of a kind as long as usual over all workers and steps: the
  // mean of computing, the median of communication.
  OperationLengths Usual() const;

  // Mean length of a step when nothing but the operations takes time.
  double MeanStep(const OperationLengths& lengths) const;

  // `to` with the lengths of `from` where `chosen` says so.
  OperationLengths With(
      const OperationLengths& to, const OperationLengths& from,
      const std::function<bool(const PipelineNode&, int replica)>& chosen)
      const;

 private:
  void Measure(const std::vector<std::vector<double>>& begins,
               const std::vector<std::vector<double>>& ends);

  PipelineGraph graph_;
  OperationLengths lengths_;
  std::vector<int> ranks_;  // by stage * replicas + replica
  int replicas_ = 0;
  size_t steps_ = 0;
  size_t left_out_steps_ = 0;
  double mean_recorded_s_ = 0;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_PIPELINE_REPLAY_H_
