// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_OP_NAME_H_
#define DLTAP_ANALYZER_METRICS_OP_NAME_H_

#include <string>

#include "analyzer/attribution/attribution.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// An op is its entry point and its scalars: "cublasSgemm_v2 m=128 n=64 k=32
// f32". For plain launches: the entry point and the kernel's short name.
std::string OpName(const TraceModel& model, const Process& process,
                   const ProcessAttribution& attribution,
                   const Attributed& attributed);

// The scalars alone: "m=128 n=64 k=32 f32"; empty when none is known.
std::string Scalars(const opmodel::Operation& op);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_OP_NAME_H_
