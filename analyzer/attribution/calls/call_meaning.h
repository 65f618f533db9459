// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_CALLS_CALL_MEANING_H_
#define DLTAP_ANALYZER_ATTRIBUTION_CALLS_CALL_MEANING_H_

#include <optional>

#include "analyzer/model/layer_class.h"
#include "analyzer/model/trace_model.h"
#include "opmodel/cost.h"

namespace dltap::analyzer {

// What a library call, or an imported operator, says of itself.
struct CallMeaning {
  LayerClass layer_class;
  Direction direction;
  ClassFrom class_from;
  opmodel::Operation leading;  // kind kUnknown: shapes not recorded
  std::optional<opmodel::Cost> cost;
  bool autotune;
};

// Whether arguments say what a call of it computes where no operation is known;
// if not, such a call means nothing.
bool ArgumentsTell(const EntryPoint& entry);

// nullopt: the call has no class of its own (plain launches, copies). All that
// it asks the call for is its entry point and its operation or, where that is
// not known, its arguments.
std::optional<CallMeaning> MeaningOf(const TraceModel& model,
                                     const Process& process, const Call& call);

// The node that gives a fused operation its class: conv > attention > gemm >
// norm > the rest. Two GEMMs around a softmax are attention.
CallMeaning MeaningOf(const OperationNodes& nodes);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_CALLS_CALL_MEANING_H_
