// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_ATTRIBUTION_H_
#define DLTAP_ANALYZER_ATTRIBUTION_ATTRIBUTION_H_

#include "analyzer/attribution/attributed.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

struct AttributionOptions {
  bool composite = true;  // regroup GEMM-softmax-GEMM into attention, ...
};

// Decides class, direction and evidence of every activity; see
// docs/design.md section 5.
Attribution Attribute(const TraceModel& model,
                      const AttributionOptions& options = {});

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_ATTRIBUTION_H_
