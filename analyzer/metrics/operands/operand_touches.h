// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_OPERANDS_OPERAND_TOUCHES_H_
#define DLTAP_ANALYZER_METRICS_OPERANDS_OPERAND_TOUCHES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/attribution/calls/meaning_cache.h"
#include "analyzer/metrics/base/interval.h"
#include "analyzer/metrics/operands/operands.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// How far through a step a call stands.
enum class Pass : uint8_t { kForward, kRecompute, kBackward, kUpdate };

// A call that put work on a device itself, not by a captured graph, with what
// it works on there.
struct Touch {
  int64_t begin_ns;
  int64_t end_ns;
  Pass pass;
  bool is_product;  // of two matrices, not batched
  bool from_host;   // a copy
  std::vector<Operand> operands;
  std::optional<Operand> unplaced;  // weights, or their gradient

  // nullptr: none has that role.
  const Operand* Find(Meaning role) const;
};

// Those of one process and device, made one by one and not kept. Trials are
// left out.
class OperandTouches {
 public:
  OperandTouches(const TraceModel& model, const Process& process,
                 const ProcessAttribution& attribution, DeviceId device);

  // By begin, of the calls that begin in `span`.
  void Visit(Interval span, const std::function<void(const Touch&)>& visit);

 private:
  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  MeaningCache meanings_;
  struct Work {
    CallId call;
    size_t activity;  // the first
  };
  std::vector<Work> works_;  // by the begin of the call
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_OPERANDS_OPERAND_TOUCHES_H_
