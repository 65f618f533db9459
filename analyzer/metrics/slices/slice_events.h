// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_SLICES_SLICE_EVENTS_H_
#define DLTAP_ANALYZER_METRICS_SLICES_SLICE_EVENTS_H_

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The events of one slice, and what they belong to. Never changed, so that one
// thread may sum them up while another reads the next.
struct SliceEvents {
  const TraceModel& model;  // whose processes have no events
  const Process process;
  const ProcessAttribution attribution;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_SLICES_SLICE_EVENTS_H_
