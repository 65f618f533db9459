// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_CLAMPS_H_
#define DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_CLAMPS_H_

#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/attribution/base/submissions.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// PyTorch's `relu`, `relu6` and `clamp` are one kernel, an activation by its
// name. Where no operator tells them apart, the backward pass does: a relu's
// gradient has a kernel of its own (threshold, hardtanh), a clamp's is a
// selection by comparisons. Gradients come in reverse order, and settle all
// clamps of their name that follow the same kernel. Clamps without a gradient
// are activations if a layer of the forward pass or a sum after one gave what
// they clamp and no root or logarithm takes it, whose domain they guard; else
// they are elementwise, as are those of an update, which clip. Directions must
// be settled.
void SettleClamps(const TraceModel& model, const Process& process,
                  const std::vector<Submission>& order,
                  ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_CLAMPS_H_
