// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cublas/gemm_names.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::GpuSpec;
using opmodel::Operation;

// $M, $N: tile; $L: transposition of A and B ("tn"). A name that begins with
// '@' is the template argument of cutlass::Kernel2 and is mangled as such.
struct NameRow {
  int min_compute;  // 10 * major + minor; the first row that fits is taken
  DType math;
  const char* pattern;
};

constexpr NameRow kNames[] = {
    {100, DType::kF16, "nvjet_sm100_hsh_$Mx$N_64x6_2x1_2cta_v_bz_$L"},
    {100, DType::kBf16, "nvjet_sm100_tst_$Mx$N_64x6_2x1_2cta_v_bz_$L"},
    {100, DType::kF8E4M3, "nvjet_sm100_qqtst_$Mx$N_128x5_2x1_2cta_v_bz_$L"},
    {100, DType::kTf32, "nvjet_sm100_sss_$Mx$N_32x6_2x1_2cta_v_bz_$L"},
    {90, DType::kF16,
     "sm90_xmma_gemm_f16f16_f16f32_f32_$L_n_tilesize$Mx$Nx64_warpgroupsize1x1x1"
     "_execute_segment_k_off_kernel__5x_cublas"},
    {90, DType::kBf16,
     "sm90_xmma_gemm_bf16bf16_bf16f32_f32_$L_n_tilesize$Mx$Nx64"
     "_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas"},
    {90, DType::kTf32,
     "sm90_xmma_gemm_f32f32_tf32f32_f32_$L_n_tilesize$Mx$Nx32"
     "_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas"},
    {89, DType::kF8E4M3,
     "sm89_xmma_gemm_e4m3bf16_e4m3f32_f32_$L_n_tilesize$Mx$Nx128_stage3"
     "_warpsize2x2x1_tensor16x8x32_execute_kernel__5x_cublas"},
    {80, DType::kF16,
     "ampere_fp16_s16816gemm_fp16_$Mx$N_ldg8_f2f_stages_64x3_$L"},
    {80, DType::kBf16,
     "ampere_bf16_s16816gemm_bf16_$Mx$N_ldg8_f2f_stages_64x3_$L"},
    {80, DType::kTf32, "@cutlass_80_tensorop_s1688gemm_$Mx$N_32x3_$L_align4"},
    {80, DType::kF64, "@cutlass_80_tensorop_d884gemm_$Mx$N_16x3_$L_align1"},
    {80, DType::kI8,
     "sm80_xmma_gemm_i8i32_i8i32_i32_$L_n_tilesize$Mx$Nx64_stage3_warpsize2x2x1"
     "_tensor16x8x32_execute_kernel__5x_cublas"},
    {80, DType::kC64, "ampere_cgemm_$Mx$N_$L"},
    {80, DType::kC128, "ampere_zgemm_$Mx$N_$L"},
    {80, DType::kF32, "ampere_sgemm_$Mx$N_$L"},
    {75, DType::kF16, "turing_fp16_s1688gemm_fp16_$Mx$N_ldg8_f2f_$L"},
    {70, DType::kF16, "volta_fp16_s884gemm_fp16_$Mx$N_ldg8_f2f_$L"},
    {70, DType::kF64, "volta_dgemm_$Mx$N_$L"},
    {70, DType::kC64, "volta_cgemm_$Mx$N_$L"},
    {70, DType::kC128, "volta_zgemm_$Mx$N_$L"},
    {70, DType::kF32, "volta_sgemm_$Mx$N_$L"},
    {0, DType::kF16, "maxwell_hgemm_$Mx$N_$L"},
    {0, DType::kF64, "maxwell_dgemm_$Mx$N_$L"},
    {0, DType::kC64, "maxwell_cgemm_$Mx$N_$L"},
    {0, DType::kF32, "maxwell_sgemm_$Mx$N_$L"},
};

// The arithmetic whose kernels run `math` where it has none of its own.
DType Family(DType math) {
  switch (math) {
    case DType::kF8E5M2:
    case DType::kF4E2M1: return DType::kF8E4M3;
    case DType::kU8:
    case DType::kI32: return DType::kI8;
    default: return math;
  }
}

DType Fallback(DType math) {
  switch (math) {
    case DType::kF8E4M3: return DType::kBf16;
    case DType::kBf16:
    case DType::kTf32:
    case DType::kF16:
    case DType::kI8: return DType::kF32;
    case DType::kC128: return DType::kC64;
    default: return math == DType::kF32 ? DType::kUnknown : DType::kF32;
  }
}

const char* PatternOf(DType math, int compute) {
  for (DType type = Family(math); type != DType::kUnknown;
       type = Fallback(type)) {
    const auto* row = std::find_if(
        std::begin(kNames), std::end(kNames), [&](const NameRow& candidate) {
          return candidate.math == type && candidate.min_compute <= compute;
        });
    if (row != std::end(kNames)) return row->pattern;
  }
  return "maxwell_sgemm_$Mx$N_$L";
}

std::string Filled(std::string_view pattern, const opmodel::GemmPlan& plan,
                   std::string_view layout) {
  std::string name;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '$') {
      name += pattern[i];
      continue;
    }
    switch (pattern[++i]) {
      case 'M': name += std::to_string(plan.tile_m); break;
      case 'N': name += std::to_string(plan.tile_n); break;
      default: name += layout; break;
    }
  }
  return name;
}

// void cutlass::Kernel2<X>(X::Params)
std::string MangledCutlassKernel(const std::string& type) {
  return "_ZN7cutlass7Kernel2I" + std::to_string(type.size()) + type +
         "EEvNT_6ParamsE";
}

}  // namespace

std::string GemmKernelName(const Operation& op, const opmodel::GemmPlan& plan,
                           const GpuSpec& gpu) {
  const char layout[] = {op[Dim::kTransA] != 0 ? 't' : 'n',
                         op[Dim::kTransB] != 0 ? 't' : 'n'};
  const std::string_view pattern =
      PatternOf(op.math, 10 * gpu.compute_major + gpu.compute_minor);
  const bool is_cutlass = pattern.front() == '@';
  std::string name =
      Filled(pattern.substr(is_cutlass ? 1 : 0), plan, {layout, sizeof layout});
  return is_cutlass ? MangledCutlassKernel(name) : name;
}

}  // namespace dltap::simgpu
