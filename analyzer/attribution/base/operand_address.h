// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_BASE_OPERAND_ADDRESS_H_
#define DLTAP_ANALYZER_ATTRIBUTION_BASE_OPERAND_ADDRESS_H_

#include <cstdint>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The address of a library call's operand (Meaning::kPointerA, ...); 0: not
// recorded. A layer's product has its weights in the first one.
uint64_t OperandAddress(const TraceModel& model, const Process& process,
                        const Call& call, Meaning operand);

// The address of a product's weights, its first operand; 0: not recorded, or
// it is a tensor times itself, which is data.
uint64_t WeightAddress(const TraceModel& model, const Process& process,
                       const Call& call);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_BASE_OPERAND_ADDRESS_H_
