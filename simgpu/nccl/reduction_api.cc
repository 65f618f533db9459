// SPDX-License-Identifier: Apache-2.0
// Operators that a program makes.
#include <cstring>

#include "simgpu/nccl/communicator.h"
#include "simgpu/nccl/reduction.h"

using namespace dltap::simgpu;  // NOLINT: the vendor's names are global

extern "C" {

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* op, void* scalar,
                                      ncclDataType_t type,
                                      ncclScalarResidence_t residence,
                                      ncclComm_t comm) {
  return Nccl<"ncclRedOpCreatePreMulSum">([&] {
    if (op == nullptr || scalar == nullptr || ElementBytes(type) == 0) {
      return ncclInvalidArgument;
    }
    if (const ncclResult_t usable = CheckUsable(comm); usable != ncclSuccess) {
      return usable;
    }
    ScaledSum made{.in_use = true, .type = type};
    if (residence == ncclScalarDevice) {
      made.device_value = scalar;
    } else {
      made.host_value = ReadNumber(type, scalar);
    }
    const std::lock_guard lock(comm->mutex);
    comm->scaled_sums.push_back(made);
    *op = static_cast<ncclRedOp_t>(ncclNumOps + comm->scaled_sums.size() - 1);
    return ncclSuccess;
  });
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm) {
  return Nccl<"ncclRedOpDestroy">([&] {
    if (comm == nullptr || op < ncclNumOps) return ncclInvalidArgument;
    const std::lock_guard lock(comm->mutex);
    const auto index = static_cast<size_t>(op - ncclNumOps);
    if (index >= comm->scaled_sums.size() || !comm->scaled_sums[index].in_use) {
      return ncclInvalidArgument;
    }
    comm->scaled_sums[index].in_use = false;
    return ncclSuccess;
  });
}

}  // extern "C"
