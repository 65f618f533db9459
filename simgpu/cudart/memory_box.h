// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_CUDART_MEMORY_BOX_H_
#define DLTAP_SHIM_SIMGPU_CUDART_MEMORY_BOX_H_

#include "shim/simgpu/cudart/runtime_header.h"
#include "shim/simgpu/device/error.h"
#include "shim/simgpu/device/memory/array_copy.h"
#include "shim/simgpu/device/stream/work.h"

namespace dltap::simgpu {

// A copy between pitched pointers and arrays.
struct Box {
  CopyEnd destination;
  CopyEnd source;
  BoxExtent extent;
  cudaMemcpyKind kind;
};
Error ReadBox(const cudaMemcpy3DParms& params, Box* box);
Error MakeCopy3D(const cudaMemcpy3DParms& params, CopyWork* copy);

// Parameters that make the same copy.
cudaMemcpy3DParms ParamsOf(const CopyWork& copy);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_CUDART_MEMORY_BOX_H_
