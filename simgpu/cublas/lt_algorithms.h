// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUBLAS_LT_ALGORITHMS_H_
#define DLTAP_SIMGPU_CUBLAS_LT_ALGORITHMS_H_

#include <cublasLt.h>

#include <optional>

#include "opmodel/gemm_time.h"
#include "opmodel/operation.h"
#include "simgpu/cublas/lt_descriptors.h"

namespace dltap::simgpu {

// The product that the descriptors stand for; nullopt when they contradict each
// other or are missing.
std::optional<opmodel::Operation> LtOperation(const LtMatmulDesc& desc,
                                              const LtLayout* a,
                                              const LtLayout* b,
                                              const LtLayout* d);

LtAlgorithm AlgorithmOf(const opmodel::GemmPlan& plan, int id);

// The plan that an algorithm names; the fastest one where it names none.
opmodel::GemmPlan PlanOf(const LtAlgorithm& algorithm,
                         const opmodel::Operation& op,
                         const opmodel::GpuSpec& gpu);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUBLAS_LT_ALGORITHMS_H_
