// SPDX-License-Identifier: Apache-2.0
#include "opmodel/gemm_stalls.h"

#include <cmath>

namespace dltap::opmodel {
namespace {

bool RunsOldTnKernel(const GemmShape& shape, const GpuSpec& gpu) {
  return shape.transposed_a && !shape.rate.tensor && shape.batch <= 1 &&
         gpu.vendor == Vendor::kNvidia && gpu.compute_major < 7;
}

// Current cuBLAS runs nearly every transposed FP32 GEMM of Maxwell and Pascal
// GPUs with one kernel, sgemm_32x128_tn, at 0.74 of the P100's peak where the
// others keep 0.93 (NeuSight, linear).
double TransposeEfficiency(const GemmShape& shape, const GpuSpec& gpu) {
  return RunsOldTnKernel(shape, gpu) ? 0.80 : 1.0;
}

// Thin products on libraries of their time, all DeepBench: Pascal's sheets
// agree that up to 16 columns take longer than 32 by a matrix that outgrows the
// L2, M40's that cuBLAS 7.5 loses a quarter of the rate up to 64. One column is
// a GEMV.
double ThinEfficiency(const GemmShape& shape, const GpuSpec& gpu) {
  if (shape.n <= 1 || shape.batch > 1 || shape.rate.tensor) return 1;
  if (shape.kernels == GemmKernels::kBlas && IsMaxwell(gpu)) {
    return shape.n <= 64 ? 0.75 : 1;
  }
  const bool streams =
      shape.m * shape.k * shape.bytes_per_element > gpu.l2_bytes;
  return IsPascal(gpu) && !IsImplicit(shape) && shape.n <= 16 && streams ? 0.37
                                                                         : 1;
}

// Rows of more than 32 KiB lie on pages of their own: blocks drift apart along
// k, lose each other's cache lines and miss in the TLB. The exponents are fits
// to NeuSight's linear traces with k up to 65536 (V100, A100; P100).
double LongRowEfficiency(const GemmShape& shape, const GpuSpec& gpu) {
  constexpr double kLongK = 8192;
  if (shape.k <= kLongK) return 1;
  return std::pow(kLongK / shape.k, RunsOldTnKernel(shape, gpu) ? 0.55 : 0.08);
}

}  // namespace

double StallEfficiency(const GemmShape& shape, const GpuSpec& gpu) {
  return TransposeEfficiency(shape, gpu) * LongRowEfficiency(shape, gpu) *
         ThinEfficiency(shape, gpu);
}

}  // namespace dltap::opmodel
