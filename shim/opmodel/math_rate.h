// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_OPMODEL_MATH_RATE_H_
#define DLTAP_SHIM_OPMODEL_MATH_RATE_H_

#include "shim/opmodel/gpu_table.h"
#include "shim/opmodel/operation.h"

namespace dltap::opmodel {

// The arithmetic unit that a library picks for an operation.
struct MathRate {
  double peak_flops_per_s;
  double sustained_flops_per_s;  // what long, well-shaped kernels keep
  bool tensor;                   // tensor (or matrix) cores
};

// Rules: TF32 and BF16 fall back to the FP32 pipe where the GPU lacks them, FP8
// and FP4 to FP16, and FP16 to FP32 where FP16 is slower (sm_61). Integer and
// boolean arithmetic without a unit of its own runs at the FP32 rate.
MathRate MathRateOf(const Operation& op, const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_SHIM_OPMODEL_MATH_RATE_H_
