// SPDX-License-Identifier: Apache-2.0
#include "opmodel/math_rate.h"

#include <algorithm>
#include <cmath>

namespace dltap::opmodel {
namespace {

MathRate VectorRate(double peak_flops_per_s, const GpuSpec& gpu) {
  return {.peak_flops_per_s = peak_flops_per_s,
          .sustained_flops_per_s =
              peak_flops_per_s *
              std::min(gpu.kernel_fp32_ratio, gpu.power_fp32_ratio),
          .unlimited_flops_per_s = peak_flops_per_s * gpu.kernel_fp32_ratio,
          .tensor = false};
}

MathRate TensorRate(double peak_flops_per_s, double sustained_ratio) {
  const double sustained = peak_flops_per_s * sustained_ratio;
  return {.peak_flops_per_s = peak_flops_per_s,
          .sustained_flops_per_s = sustained,
          .unlimited_flops_per_s = sustained,
          .tensor = true};
}

MathRate TensorRate(double peak_flops_per_s, const GpuSpec& gpu) {
  return TensorRate(peak_flops_per_s, gpu.sustained_tensor_ratio);
}

// TF32 operands take twice the bytes of FP16's through shared memory for the
// same products: XLA's table for sm_90 shows 0.65 of the peak against 0.79. The
// narrower tensor cores of sm_80 and sm_86 are fed in time (torch.matmul: 0.80
// of A40's peak for either).
constexpr double kTf32FeedRatio = 0.78;

MathRate Tf32Rate(double peak_flops_per_s, const GpuSpec& gpu) {
  return TensorRate(peak_flops_per_s,
                    (gpu.compute_major >= 9 ? kTf32FeedRatio : 1.0) *
                        gpu.sustained_tensor_ratio);
}

MathRate HalfRate(DType type, const GpuSpec& gpu) {
  const double peak = PeakFlopsPerS(gpu, type);
  if (peak <= gpu.fp32_flops_per_s) {
    return VectorRate(gpu.fp32_flops_per_s, gpu);
  }
  return gpu.fp16_flops_per_s > 0 ? TensorRate(peak, gpu)
                                  : VectorRate(peak, gpu);
}

bool IsAligned(double size) {
  constexpr double kStep = 8;
  return std::fmod(size, kStep) == 0;
}

}  // namespace

MathRate MathRateOf(const Operation& op, const GpuSpec& gpu) {
  const DType math = op.math == DType::kUnknown ? op.storage : op.math;
  const double peak = PeakFlopsPerS(gpu, math);
  switch (math) {
    case DType::kF64:
    case DType::kC128:
      return gpu.fp64_tensor_flops_per_s > 0 ? TensorRate(peak, gpu)
                                             : VectorRate(peak, gpu);
    case DType::kTf32:
      return peak > 0 ? Tf32Rate(peak, gpu)
                      : VectorRate(gpu.fp32_flops_per_s, gpu);
    case DType::kF16:
    case DType::kBf16: return HalfRate(math, gpu);
    case DType::kF8E4M3:
    case DType::kF8E5M2:
    case DType::kF4E2M1:
      return peak > 0 ? TensorRate(peak, gpu) : HalfRate(DType::kF16, gpu);
    case DType::kI8:
    case DType::kU8:
      return peak > gpu.fp32_flops_per_s
                 ? TensorRate(peak, gpu)
                 : VectorRate(gpu.fp32_flops_per_s, gpu);
    case DType::kF32:
    case DType::kC64: return VectorRate(peak, gpu);
    default: return VectorRate(gpu.fp32_flops_per_s, gpu);
  }
}

MathRate PaddedRate(const MathRate& rate, double size) {
  if (!rate.tensor || IsAligned(size)) return rate;
  MathRate padded = rate;
  padded.sustained_flops_per_s /= 2;
  padded.unlimited_flops_per_s /= 2;
  return padded;
}

MathRate ChannelRate(const MathRate& rate, double in, double out,
                     const GpuSpec& gpu) {
  if (!rate.tensor || (IsAligned(in) && IsAligned(out))) return rate;
  if (gpu.vendor == Vendor::kNvidia && gpu.compute_major < 8) {
    return VectorRate(gpu.fp32_flops_per_s, gpu);
  }
  return PaddedRate(rate, IsAligned(in) ? out : in);
}

}  // namespace dltap::opmodel
