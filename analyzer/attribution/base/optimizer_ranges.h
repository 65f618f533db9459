// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_BASE_OPTIMIZER_RANGES_H_
#define DLTAP_ANALYZER_ATTRIBUTION_BASE_OPTIMIZER_RANGES_H_

#include <cstddef>

#include "absl/container/flat_hash_set.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The ranges of an optimizer's step ("Optimizer.step#LBFGS.step") in which
// nodes of autograd run, by their index in the process: the optimizer computes
// the loss and its gradients itself, perhaps several times. Such a range says
// nothing of the work inside.
absl::flat_hash_set<size_t> OptimizersWithGradients(const TraceModel& model,
                                                    const Process& process);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_BASE_OPTIMIZER_RANGES_H_
