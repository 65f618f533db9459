// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_NCCL_REDUCTION_H_
#define DLTAP_SHIM_SIMGPU_NCCL_REDUCTION_H_

#include <cstddef>
#include <string_view>

#include "shim/simgpu/nccl/nccl_call.h"

namespace dltap::simgpu {

// Bytes of an element; 0: no such type.
size_t ElementBytes(ncclDataType_t type);

// As in kernel names: "f32", "bf16".
std::string_view TypeName(ncclDataType_t type);
std::string_view OpName(ncclRedOp_t op);

// into[i] = op(into[i], from[i]). Averages are summed here and divided by
// Finish. False: the type has no arithmetic here (FP8): `into` is left alone.
bool Reduce(ncclRedOp_t op, ncclDataType_t type, void* into, const void* from,
            size_t count);

// The last step of an average over `ranks` inputs; nothing for other ops.
void Finish(ncclRedOp_t op, ncclDataType_t type, void* values, size_t count,
            int ranks);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_NCCL_REDUCTION_H_
