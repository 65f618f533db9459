// SPDX-License-Identifier: Apache-2.0
#include "opmodel/alternatives.h"

#include "opmodel/attention_time.h"
#include "opmodel/conv_time.h"
#include "opmodel/cost.h"
#include "opmodel/gemm_time.h"
#include "opmodel/rnn_chain.h"
#include "opmodel/streaming_time.h"

namespace dltap::opmodel {
namespace {

std::vector<Alternative> Single(std::string_view name, ModelledTime time,
                                double flops) {
  return {{.name = name,
           .ns = time.ns,
           .bound = time.bound,
           .workspace_bytes = 0,
           .flops = flops}};
}

std::string_view NameOf(const GemmPlan& plan) {
  return plan.split_k > 1 ? "gemm_split_k" : "gemm";
}

std::vector<Alternative> GemmAlternatives(const Operation& op, const Cost& cost,
                                          const GpuSpec& gpu) {
  std::vector<Alternative> alternatives;
  for (const GemmPlan& plan : GemmPlansOf(GemmShapeOf(op, gpu), gpu)) {
    alternatives.push_back({.name = NameOf(plan),
                            .ns = plan.time.ns,
                            .bound = plan.time.bound,
                            .workspace_bytes = plan.workspace_bytes,
                            .flops = cost.flops});
  }
  return alternatives;
}

// Total of the chain; bound by what bounds most of it.
ModelledTime SumOf(const std::vector<RnnStage>& chain) {
  double ns_by_bound[4] = {};
  double total_ns = 0;
  for (const RnnStage& stage : chain) {
    for (const RnnKernel& kernel : stage.kernels) {
      const double ns = stage.repeats * kernel.time.ns;
      ns_by_bound[static_cast<int>(kernel.time.bound)] += ns;
      total_ns += ns;
    }
  }
  Bound bound = Bound::kCompute;
  for (const Bound other : {Bound::kMemory, Bound::kLatency}) {
    if (ns_by_bound[static_cast<int>(other)] >
        ns_by_bound[static_cast<int>(bound)]) {
      bound = other;
    }
  }
  return {.ns = total_ns, .bound = bound};
}

std::vector<Alternative> RnnAlternatives(const Operation& op, const Cost& cost,
                                         const GpuSpec& gpu) {
  const auto chain = RnnChainOf(op, gpu);
  if (!chain) return {};
  return Single("rnn_standard", SumOf(*chain), cost.flops);
}

}  // namespace

std::vector<Alternative> AlternativesOf(const Operation& op,
                                        const GpuSpec& gpu) {
  const std::optional<Cost> cost = CostOf(op);
  if (!cost) return {};
  switch (op.kind) {
    case OpKind::kGemm: return GemmAlternatives(op, *cost, gpu);
    case OpKind::kConvForward:
    case OpKind::kConvBackwardData:
    case OpKind::kConvBackwardWeight: return ConvAlternatives(op, gpu);
    case OpKind::kRnnForward:
    case OpKind::kRnnBackwardData:
    case OpKind::kRnnBackwardWeight: return RnnAlternatives(op, *cost, gpu);
    case OpKind::kAttentionForward:
    case OpKind::kAttentionBackward:
      return Single("flash_attention", AttentionTime(op, *cost, gpu),
                    cost->flops);
    case OpKind::kNormForward:
    case OpKind::kNormBackward:
    case OpKind::kSoftmaxForward:
    case OpKind::kSoftmaxBackward:
      return Single("row_pass", RowPassTime(op, *cost, gpu), cost->flops);
    default:
      return Single("streaming", StreamingTime(cost->bytes, gpu), cost->flops);
  }
}

}  // namespace dltap::opmodel
