// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_NCCL_REDUCTION_H_
#define DLTAP_SIMGPU_NCCL_REDUCTION_H_

#include <cstddef>
#include <string_view>

#include "simgpu/nccl/nccl_call.h"

namespace dltap::simgpu {

// Bytes of an element; 0: no such type.
size_t ElementBytes(ncclDataType_t type);

// As in kernel names: "f32", "bf16"; signed integers run in the unsigned one's.
std::string_view KernelTypeName(ncclDataType_t type);

// into[i] = op(into[i], from[i]). Averages are summed here and divided by
// Finish. Types of 16 and 8 bits are computed in float and rounded to nearest
// even each time; FP8 saturates, as CUDA's conversions do by default.
void Reduce(ncclRedOp_t op, ncclDataType_t type, void* into, const void* from,
            size_t count);

// The last step of an average over `ranks` inputs; nothing for other ops.
void Finish(ncclRedOp_t op, ncclDataType_t type, void* values, size_t count,
            int ranks);

// values[i] *= factor
void Scale(ncclDataType_t type, void* values, size_t count, double factor);

// The one number at `value`.
double ReadNumber(ncclDataType_t type, const void* value);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_NCCL_REDUCTION_H_
