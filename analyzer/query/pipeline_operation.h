// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_PIPELINE_OPERATION_H_
#define DLTAP_ANALYZER_QUERY_PIPELINE_OPERATION_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace dltap::analyzer {

// Named as in the traces that ByteDance published with "Understanding
// Stragglers in Large Model Training Using What-if Analysis".
enum class OperationKind : uint8_t {
  kForwardCompute,
  kBackwardCompute,
  kForwardSend,
  kForwardReceive,
  kBackwardSend,
  kBackwardReceive,
  kParamsAllGather,
  kGradsReduceScatter,
  kSeparateGradsAllReduce,
  kLayerNormGradsAllReduce,
  kEmbeddingGradsAllReduce,
  kClipGrads,
  kOptimizer,
  kGarbageCollection,
};

// "forward-compute". nullopt: none of them.
std::optional<OperationKind> OperationNamed(std::string_view name);

// What one worker does in one step: one place of the pipeline in one replica
// (all its tensor ranks together).
struct PipelineOperation {
  OperationKind kind;
  int replica;  // data parallel
  int stage;    // of the pipeline
  int rank;     // of the worker
  int64_t step;
  int sequence;          // from 0, of its kind in its worker and step
  int chunk = 0;         // of the model, in its stage
  int global_chunk = 0;  // in the model
  double begin_s;
  double duration_s;

  double end_s() const { return begin_s + duration_s; }
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_PIPELINE_OPERATION_H_
