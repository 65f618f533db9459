// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_MATH_RATE_H_
#define DLTAP_OPMODEL_MATH_RATE_H_

#include "opmodel/gpu_table.h"
#include "opmodel/operation.h"

namespace dltap::opmodel {

// The arithmetic unit that a library picks for an operation.
struct MathRate {
  double peak_flops_per_s;
  double sustained_flops_per_s;  // what long, well-shaped kernels keep
  // The same without the power limit, for kernels that are too slow to reach
  // it.
  double unlimited_flops_per_s;
  bool tensor;  // tensor (or matrix) cores
};

// Rules: TF32 and BF16 fall back to the FP32 pipe where the GPU lacks them, FP8
// and FP4 to FP16, and FP16 to FP32 where FP16 is slower (sm_61). Integer and
// boolean arithmetic without a unit of its own runs at the FP32 rate.
MathRate MathRateOf(const Operation& op, const GpuSpec& gpu);

// Tensor cores take operands in steps of 8 elements (16 bytes of FP16); other
// sizes are padded or loaded piecewise, at about half of the rate.
MathRate PaddedRate(const MathRate& rate, double size);

// The same for a convolution's channels per group. Before sm_80 cuDNN leaves
// the tensor cores for the FP32 pipe instead.
MathRate ChannelRate(const MathRate& rate, double in, double out,
                     const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_MATH_RATE_H_
