// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUBLAS_GEMM_NAMES_H_
#define DLTAP_SIMGPU_CUBLAS_GEMM_NAMES_H_

#include <string>

#include "opmodel/gemm_time.h"
#include "opmodel/gpu_table.h"
#include "opmodel/operation.h"

namespace dltap::simgpu {

// Name of the product's kernel, in the vendor's style: facts out of public
// traces, with tile and transposition filled in.
std::string GemmKernelName(const opmodel::Operation& op,
                           const opmodel::GemmPlan& plan,
                           const opmodel::GpuSpec& gpu);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUBLAS_GEMM_NAMES_H_
