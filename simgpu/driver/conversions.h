// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_DRIVER_CONVERSIONS_H_
#define DLTAP_SIMGPU_DRIVER_CONVERSIONS_H_

#include "simgpu/base/error.h"
#include "simgpu/driver/driver_header.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

Error MakeCopy2D(const CUDA_MEMCPY2D& request, CopyWork* copy);
Error MakeCopy3D(const CUDA_MEMCPY3D& request, CopyWork* copy);

// Parameters that make the same copy.
CUDA_MEMCPY3D ParamsOf(const CopyWork& copy);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_DRIVER_CONVERSIONS_H_
