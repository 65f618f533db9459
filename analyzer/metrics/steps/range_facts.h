// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_RANGE_FACTS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_RANGE_FACTS_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/base/range_index.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What the ranges around an activity tell of the layer that it belongs to.
// Holds references.
class RangeFacts {
 public:
  RangeFacts(const TraceModel& model, const Process& process)
      : model_(model), process_(process), ranges_(process) {}

  // The innermost range in which `call` submitted the activity.
  RangeId InnermostOf(const Activity& activity, CallId call) const;

  // The operation around that makes a node of autograd or, `backward`, is one;
  // unknown: none.
  RangeId NodeOf(RangeId innermost, bool backward);
  // The number of that; -1: not known.
  int64_t SequenceOf(RangeId innermost, bool backward);

  RangeId ModuleAround(RangeId innermost);  // a call of an nn.Module
  RangeId LabelAround(RangeId innermost);   // what the user named

 private:
  enum class Kind : uint8_t { kOther, kNode, kModule, kLabel };
  Kind KindOf(const Range& range);
  int64_t SequenceOf(const Range& range) const;
  RangeId Around(RangeId innermost, Kind kind);

  const TraceModel& model_;
  const Process& process_;
  const RangeIndex ranges_;
  absl::flat_hash_map<size_t, Kind> kinds_;  // by name
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_RANGE_FACTS_H_
