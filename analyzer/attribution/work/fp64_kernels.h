// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_WORK_FP64_KERNELS_H_
#define DLTAP_ANALYZER_ATTRIBUTION_WORK_FP64_KERNELS_H_

#include <string_view>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Whether a demangled kernel name says that it computes in double precision:
// a library's sign for such a product, or a double as the first floating-point
// type among the template arguments (later ones are scalars: a learning rate).
bool NamesFp64(std::string_view demangled);

// Fills attribution.fp64_kernels.
void FindFp64Kernels(const TraceModel& model, const Process& process,
                     ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_WORK_FP64_KERNELS_H_
