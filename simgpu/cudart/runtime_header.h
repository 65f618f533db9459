// SPDX-License-Identifier: Apache-2.0
// Every file of this folder includes the vendor's header through this one: the
// raw names of all exported variants are declared (cudaMemcpy,
// cudaMemcpy_ptds), so that the compiler checks each definition, and they are
// exported.
#ifndef DLTAP_SIMGPU_CUDART_RUNTIME_HEADER_H_
#define DLTAP_SIMGPU_CUDART_RUNTIME_HEADER_H_

#ifndef __CUDA_API_VERSION_INTERNAL
#define __CUDA_API_VERSION_INTERNAL
#endif

#pragma GCC visibility push(default)
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <generated_cuda_runtime_api_meta.h>

#include "shim/specs/supplement/cudart_internal.h"
#pragma GCC visibility pop

#endif  // DLTAP_SIMGPU_CUDART_RUNTIME_HEADER_H_
