// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDART_MEMORY_BOX_H_
#define DLTAP_SIMGPU_CUDART_MEMORY_BOX_H_

#include "simgpu/base/error.h"
#include "simgpu/cudart/runtime_header.h"
#include "simgpu/memory/array_copy.h"
#include "simgpu/stream/work.h"

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
cudaMemcpy3DParms CopyParamsOf(const CopyWork& copy);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDART_MEMORY_BOX_H_
