// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_ATTRIBUTION_H_
#define DLTAP_ANALYZER_ATTRIBUTION_ATTRIBUTION_H_

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

struct AttributionOptions {
  bool composite = true;  // regroup GEMM-softmax-GEMM into attention, ...
};

// Decides class, direction and evidence of every activity; see docs/design.md
// section 5. `model` is normalised. No activity is dropped: one that joins no
// call keeps JoinedBy::kNone, one whose class nothing tells is kUnattributed.
// The result holds indices into `model` and is of use only while that lives.
Attribution Attribute(const TraceModel& model,
                      const AttributionOptions& options = {});
// The same of one process, which need not be in the model.
ProcessAttribution Attribute(const TraceModel& model, const Process& process,
                             const AttributionOptions& options);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_ATTRIBUTION_H_
