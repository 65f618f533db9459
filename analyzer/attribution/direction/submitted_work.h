// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_SUBMITTED_WORK_H_
#define DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_SUBMITTED_WORK_H_

#include <cstddef>
#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/attribution/base/submissions.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What a process submitted, in order, and which of it is of a backward pass: by
// these, directions are told. Refers to what it was made of.
struct SubmittedWork {
  const TraceModel& model;
  const Process& process;
  const ProcessAttribution& attribution;
  const std::vector<Submission>& order;
  const std::vector<bool>& is_backward;  // by submission

  size_t size() const { return order.size(); }
  const Activity& ActivityAt(size_t i) const {
    return process.activities[order[i].activity];
  }
  const Attributed& At(size_t i) const {
    return attribution.activities[order[i].activity];
  }
  // Or captured, to be replayed.
  bool IsReplayed(size_t i) const {
    return order[i].captured || ActivityAt(i).graph_node != 0;
  }
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_SUBMITTED_WORK_H_
