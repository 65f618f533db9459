// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUBLAS_GEMM_KERNELS_H_
#define DLTAP_SIMGPU_CUBLAS_GEMM_KERNELS_H_

#include <cstdint>
#include <string>

#include "opmodel/gemm_time.h"
#include "opmodel/gpu_table.h"
#include "opmodel/operation.h"
#include "simgpu/launch/library_call.h"

namespace dltap::simgpu {

// The kernels that run a matrix product: the product itself and, when k is
// split over thread blocks, the one that adds the partial sums.
struct GemmLaunch {
  LibraryKernel product;
  LibraryKernel reduction;  // name null: none
};

// By the model's fastest plan. Remembers what it worked out per shape, so that
// a repeated call costs one look-up. Thread-safe; the result lives for ever.
const GemmLaunch& GemmLaunchOf(const opmodel::Operation& op,
                               const opmodel::GpuSpec& gpu);

// By a plan out of GemmPlansOf().
GemmLaunch GemmLaunchOf(const opmodel::Operation& op,
                        const opmodel::GemmPlan& plan,
                        const opmodel::GpuSpec& gpu);

Error LaunchGemm(void* stream, const GemmLaunch& launch);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUBLAS_GEMM_KERNELS_H_
