// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_WORK_TOLD_LAUNCHES_H_
#define DLTAP_ANALYZER_ATTRIBUTION_WORK_TOLD_LAUNCHES_H_

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// A launch whose arguments tell what it computes is one kernel of an attention;
// what a framework launches right before it, to prepare it (O dO), and right
// after it, to put parts together, is of the same work and shares its FLOPs by
// time, as the kernels of a library's call do. By stream, in time. Needs
// classes, composites and glue.
void ShareToldWorks(const TraceModel& model, const Process& process,
                    ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_WORK_TOLD_LAUNCHES_H_
