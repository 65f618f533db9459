// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include "simgpu/cudnn/op_kernels.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::GpuSpec;
using opmodel::Operation;
using opmodel::OpKind;

constexpr int kTile = 128;

// $D: fprop, dgrad or wgrad. Facts out of public traces of cuDNN 8 and 9.
struct TensorCoreRow {
  int min_compute;
  DType math;
  const char* pattern;
};

constexpr TensorCoreRow kTensorCore[] = {
    {90, DType::kBf16,
     "sm90_xmma_$D_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_"
     "tilesize128x128x64_warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__"
     "5x_cudnn"},
    {90, DType::kF16,
     "sm90_xmma_$D_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_"
     "tilesize128x128x64_warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__"
     "5x_cudnn"},
    {80, DType::kBf16,
     "sm80_xmma_$D_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_"
     "tilesize128x128x32_stage4_warpsize2x2x1_g1_tensor16x8x16_execute_kernel_"
     "_5x_cudnn"},
    {80, DType::kF16,
     "sm80_xmma_$D_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_"
     "tilesize128x128x32_stage4_warpsize2x2x1_g1_tensor16x8x16_execute_kernel_"
     "_5x_cudnn"},
    {80, DType::kTf32,
     "sm80_xmma_$D_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_"
     "tilesize128x128x16_stage4_warpsize2x2x1_g1_tensor16x8x8_alignc4_execute_"
     "kernel_cudnn"},
    {75, DType::kF16,
     "turing_fp16_s1688cudnn_fp16_128x128_ldg8_relu_f2f_exp_$D_small_nhwc_tn_"
     "v1"},
    {70, DType::kF16,
     "volta_fp16_s884cudnn_fp16_128x128_ldg8_relu_f2f_exp_$D_small_nhwc_tn_v1"},
};

struct PlainRow {
  OpKind kind;
  std::string_view engine;
  const char* name;
};

constexpr PlainRow kPlain[] = {
    {OpKind::kConvForward, "implicit_gemm",
     "void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1, "
     "false, "
     "false, true>(int, int, int, float const*, int, float*, float const*, "
     "kernel_conv_params, unsigned long long, int, float, float, int, float "
     "const*, float const*, bool, int, int)"},
    {OpKind::kConvForward, "",
     "cudnn_ampere_scudnn_128x64_relu_xregs_large_nn_v1"},
    {OpKind::kConvBackwardData, "implicit_gemm",
     "void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int, "
     "int, int, float const*, int, float const*, int, float*, "
     "kernel_grad_params, unsigned long long, int, unsigned long long, int, "
     "float, int, int, int)"},
    {OpKind::kConvBackwardData, "",
     "cudnn_train_ampere_scudnn_128x64_dgrad_stridedB_small_nn_v1"},
    {OpKind::kConvBackwardWeight, "implicit_gemm",
     "void wgrad_alg0_engine<float, 128, 5, 5, 3, 3, 3, false, 512>(int, int, "
     "int, float const*, int, float*, float const*, kernel_grad_params, "
     "unsigned long long, int, float, int, int, int, int)"},
    {OpKind::kConvBackwardWeight, "",
     "cudnn_train_ampere_scudnn_128x128_wgrad_stridedB_splitK_medium_nn_v1"},
};

const char* DirectionOf(OpKind kind) {
  switch (kind) {
    case OpKind::kConvBackwardData: return "dgrad";
    case OpKind::kConvBackwardWeight: return "wgrad";
    default: return "fprop";
  }
}

const char* GemmName(const Engine& engine, const GpuSpec& gpu) {
  const int compute = 10 * gpu.compute_major + gpu.compute_minor;
  for (const TensorCoreRow& row : kTensorCore) {
    if (row.math != engine.op.math || row.min_compute > compute) continue;
    std::string name(row.pattern);
    name.replace(name.find("$D"), 2, DirectionOf(engine.op.kind));
    return InternName(name.c_str());
  }
  for (const PlainRow& row : kPlain) {
    if (row.kind == engine.op.kind &&
        (row.engine.empty() || row.engine == engine.name)) {
      return row.name;
    }
  }
  return kPlain[0].name;
}

// Output of the equivalent product, which the thread blocks tile.
LibraryKernel GemmKernel(const Engine& engine, const GpuSpec& gpu) {
  const Operation& op = engine.op;
  const int64_t out_points = op[Dim::kBatch] * op[Dim::kDepthOut] *
                             op[Dim::kHeightOut] * op[Dim::kWidthOut];
  const int64_t in_points = op[Dim::kBatch] * op[Dim::kDepthIn] *
                            op[Dim::kHeightIn] * op[Dim::kWidthIn];
  const int64_t filter = op[Dim::kChannelsIn] * op[Dim::kFilterDepth] *
                         op[Dim::kFilterHeight] * op[Dim::kFilterWidth];
  int64_t m = out_points;
  int64_t n = op[Dim::kChannelsOut];
  if (op.kind == OpKind::kConvBackwardData) {
    m = in_points;
    n = op[Dim::kChannelsIn];
  } else if (op.kind == OpKind::kConvBackwardWeight) {
    m = filter;
  }
  const auto blocks = [](int64_t size) {
    return static_cast<uint32_t>(
        std::max<int64_t>(1, (size + kTile - 1) / kTile));
  };
  return {.name = GemmName(engine, gpu),
          .grid = {blocks(m), blocks(n), 1},
          .block = {256, 1, 1},
          .dynamic_shared_bytes = 64 << 10,
          .registers_per_thread = 168,
          .duration_ns = std::max<int64_t>(1, std::llround(engine.ns))};
}

struct Part {
  const char* name;
  double share;  // of the engine's time
};

KernelList Split(const Engine& engine, std::initializer_list<Part> parts) {
  const Operation& op = engine.op;
  const double elements = static_cast<double>(
      op[Dim::kBatch] * op[Dim::kChannelsOut] * op[Dim::kDepthOut] *
      op[Dim::kHeightOut] * op[Dim::kWidthOut]);
  KernelList kernels;
  for (const Part& part : parts) {
    kernels.push_back(KernelFor(part.name, elements, engine.ns * part.share));
  }
  return kernels;
}

KernelList WinogradNonfused(const Engine& engine) {
  if (engine.op.kind == OpKind::kConvBackwardWeight) {
    return Split(
        engine,
        {{"void cudnn::winograd_nonfused::winogradWgradData4x4<float, float>("
          "cudnn::winograd_nonfused::WinogradDataParams<float, float>)",
          0.17},
         {"void cudnn::winograd_nonfused::winogradWgradDelta4x4<float, float>("
          "cudnn::winograd_nonfused::WinogradDeltaParams<float, float>)",
          0.17},
         {"ampere_sgemm_128x64_nt", 0.6},
         {"void cudnn::winograd_nonfused::winogradWgradOutput4x4<float, float>("
          "cudnn::winograd_nonfused::WinogradWgradOutputParams<float, float>)",
          0.06}});
  }
  return Split(
      engine,
      {{"void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>("
        "cudnn::winograd_nonfused::WinogradDataParams<float, float>)",
        0.17},
       {"void cudnn::winograd_nonfused::winogradForwardFilter4x4<float, float>("
        "cudnn::winograd_nonfused::WinogradFilterParams<float, float>)",
        0.06},
       {"ampere_sgemm_128x64_nn", 0.6},
       {"void cudnn::winograd_nonfused::winogradForwardOutput4x4<float, float>("
        "cudnn::winograd_nonfused::WinogradOutputParams<float, float>)",
        0.17}});
}

KernelList Fft(const Engine& engine) {
  return Split(
      engine,
      {{"void fft2d_r2c_32x32<float, false, 0u, false>(float2*, float const*, "
        "int, int, int, int, int, int, int, int, int, cudnn::reduced_divisor, "
        "bool, int2, int, int)",
        0.2},
       {"void fft2d_r2c_32x32<float, false, 5u, true>(float2*, float const*, "
        "int, int, int, int, int, int, int, int, int, cudnn::reduced_divisor, "
        "bool, int2, int, int)",
        0.1},
       {"ampere_gcgemm_64x64_nt", 0.5},
       {"void fft2d_c2r_32x32<float, false, false, 0u, false, false>(float*, "
        "float2 const*, int, int, int, int, int, int, int, int, int, float, "
        "float, cudnn::reduced_divisor, bool, float*, float*, int2, int, int)",
        0.2}});
}

// Those for many groups.
const char* GroupedName(const Operation& op) {
  const std::string type = op.storage == DType::kBf16  ? "__nv_bfloat16"
                           : op.storage == DType::kF16 ? "__half"
                                                       : "float";
  const auto name = [&](const std::string& pass, const std::string& params) {
    const std::string text = "void cudnn::cnn::" + pass +
                             "_grouped_direct_kernel<false, true, 0, 0, int, " +
                             type + ", " + type +
                             ", float>(cudnn::cnn::" + params + ")";
    return InternName(text.c_str());
  };
  switch (op.kind) {
    case OpKind::kConvBackwardData: return name("dgrad2d", "Dgrad2dParams");
    case OpKind::kConvBackwardWeight: return name("wgrad2d", "Wgrad2dParams");
    default: return name("conv2d", "Conv2dParams");
  }
}

// Depthwise ones multiply no matrices.
bool IsTf32Product(const Operation& op) {
  return op.math == DType::kTf32 && op[Dim::kChannelsIn] > op[Dim::kGroups];
}

}  // namespace

KernelList ConvKernels(const Engine& engine, const GpuSpec& gpu) {
  if (engine.name == "winograd_4x4") return WinogradNonfused(engine);
  if (engine.name == "fft_tiling") return Fft(engine);
  LibraryKernel kernel = GemmKernel(engine, gpu);
  // Products on tensor cores keep the name that says so.
  if (engine.name == "grouped_direct" && !IsTf32Product(engine.op)) {
    kernel.name = GroupedName(engine.op);
  }
  if (engine.name == "winograd_2x2") {
    kernel.name =
        engine.op.kind == OpKind::kConvBackwardData
            ? "cudnn_ampere_scudnn_winograd_128x128_ldg1_ldg4_dgrad_tile148t_"
              "nt_v1"
            : "cudnn_ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_"
              "nt_v1";
  }
  return {kernel};
}

}  // namespace dltap::simgpu
