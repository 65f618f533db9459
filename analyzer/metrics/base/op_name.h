// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_OP_NAME_H_
#define DLTAP_ANALYZER_METRICS_BASE_OP_NAME_H_

#include <string>
#include <string_view>

#include "analyzer/attribution/attribution.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What tells one op from another, as numbers: the strings are made once for
// each distinct op, not once for each activity.
struct OpIdentity {
  EntryPointId entry;  // none: `name` says it
  // Without an entry the framework's operator; of plain launches the kernel;
  // none if scalars say more.
  TextId name;
  const opmodel::Operation* scalars = nullptr;  // of its work; null: none
};

// `activity` is one of `process`'s.
OpIdentity IdentityOf(const TraceModel& model, const Process& process,
                      const ProcessAttribution& attribution, size_t activity);

// An op is its entry point and its scalars: "cublasSgemm_v2 m=128 n=64 k=32
// f32". For plain launches: the entry point and the kernel's short name. In
// imported traces the operator that gives the class takes the entry point's
// place: "aten::mm m=128 n=64 k=32 f32".
std::string OpName(const TraceModel& model, const OpIdentity& op);

// The scalars alone: "m=128 n=64 k=32 f32"; empty when none is known.
std::string Scalars(const opmodel::Operation& op);

// "memcpy HtoD", "memset".
std::string_view NameOfCopy(const Activity& activity);

// "void ns::kernel<...>(...)" -> "ns::kernel". Parentheses that belong to the
// name stay: "at::native::(anonymous namespace)::kernel". All casts are "cast".
std::string ShortKernelName(std::string_view name);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_OP_NAME_H_
