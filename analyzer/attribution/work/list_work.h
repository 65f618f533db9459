// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_WORK_LIST_WORK_H_
#define DLTAP_ANALYZER_ATTRIBUTION_WORK_LIST_WORK_H_

#include <optional>
#include <string_view>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What a kernel over lists of tensors does with each element, by its name.
struct ListKernel {
  opmodel::DType type;
  int64_t moved;  // elements, beside the one that is counted
};
std::optional<ListKernel> ListKernelOf(std::string_view demangled);

// Completes works of imported operators on lists of tensors: the operator
// tells how many elements there are, the name of its kernel of which type.
void AddListWorks(const TraceModel& model, const Process& process,
                  ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_WORK_LIST_WORK_H_
