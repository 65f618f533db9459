// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DRIVER_CONVERSIONS_H_
#define DLTAP_SHIM_SIMGPU_DRIVER_CONVERSIONS_H_

#include "shim/simgpu/device/error.h"
#include "shim/simgpu/device/stream/work.h"
#include "shim/simgpu/driver/driver_header.h"

namespace dltap::simgpu {

Error MakeCopy2D(const CUDA_MEMCPY2D& request, CopyWork* copy);
Error MakeCopy3D(const CUDA_MEMCPY3D& request, CopyWork* copy);

// Parameters that make the same copy.
CUDA_MEMCPY3D ParamsOf(const CopyWork& copy);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DRIVER_CONVERSIONS_H_
