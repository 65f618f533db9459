// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_ATTENTION_TIME_H_
#define DLTAP_OPMODEL_ATTENTION_TIME_H_

#include "opmodel/cost.h"
#include "opmodel/gpu_table.h"
#include "opmodel/modelled_time.h"

namespace dltap::opmodel {

// A fused attention kernel: scores never reach device memory.
ModelledTime AttentionTime(const Operation& op, const Cost& cost,
                           const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_ATTENTION_TIME_H_
