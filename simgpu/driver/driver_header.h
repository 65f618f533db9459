// SPDX-License-Identifier: Apache-2.0
// Every file of this folder includes the vendor's header through this one: all
// raw names are declared (cuMemAlloc and cuMemAlloc_v2), and exported.
#ifndef DLTAP_SIMGPU_DRIVER_DRIVER_HEADER_H_
#define DLTAP_SIMGPU_DRIVER_DRIVER_HEADER_H_

#ifndef __CUDA_API_VERSION_INTERNAL
#define __CUDA_API_VERSION_INTERNAL
#endif

#pragma GCC visibility push(default)
#include <cuda.h>
#include <cudaProfiler.h>
#include <generated_cuda_meta.h>
#pragma GCC visibility pop

#endif  // DLTAP_SIMGPU_DRIVER_DRIVER_HEADER_H_
