// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_COMPOSITE_H_
#define DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_COMPOSITE_H_

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/attribution/base/range_index.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Regroups what several calls compute together, stream by stream: attention
// (attention_regroup.h), recurrent cells (recurrent_regroup.h), norms
// (norm_regroup.h), and the sorting of indices that an embedding's gradient
// begins with. Overrides
// gemm, softmax, elementwise, activation, dropout, reduction and layout, never
// conv, norm, rnn or attention, nor copies and memsets; adds the time that it
// moved to `composite_ns`. Linear in the number of activities.
void RegroupComposites(const TraceModel& model, const Process& process,
                       const RangeIndex& ranges,
                       ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_COMPOSITE_H_
