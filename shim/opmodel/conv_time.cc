// SPDX-License-Identifier: Apache-2.0
#include "shim/opmodel/conv_time.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "shim/opmodel/cost.h"
#include "shim/opmodel/gemm_time.h"
#include "shim/opmodel/launch_floor.h"
#include "shim/opmodel/math_rate.h"
#include "shim/opmodel/streaming_time.h"

namespace dltap::opmodel {
namespace {

// All shares are fits to DeepBench's training sheets.
//
// Rate of implicit-GEMM kernels by that of a plain GEMM: cuDNN 5 and 6 before
// Volta compute addresses while they load, cuDNN 7 on V100 beats cuBLAS 10's
// sustained rate. The filter's gradient adds partial sums atomically and, for
// 1x1 filters, reuses nothing that it has loaded.
constexpr double kOldKernelsRatio = 0.90;
constexpr double kNewKernelsRatio = 1.08;
constexpr double kDataEfficiency = 0.92;
constexpr double kWeightEfficiency = 0.95;
constexpr double kPointwiseWeightEfficiency = 0.58;
// 1 where backward data skips every tap that a stride makes useless, 0 where
// none; DeepBench's 1x1, 5x5 and 10x5 filters of stride 2 lie around this.
constexpr double kStridedTapsExponent = 0.4;
constexpr double kNoPrecompRatio = 1.25;  // without the index workspace
constexpr double kFftEfficiency = 0.45;
constexpr double kFftWeightEfficiency = 0.20;
constexpr double kShortestFftTaps = 9;  // FFT of 1x1 filters is not offered

double ImplicitEfficiency(OpKind direction, double taps, const GpuSpec& gpu) {
  const bool old_kernels =
      gpu.vendor == Vendor::kNvidia && gpu.compute_major < 7;
  const double generation = old_kernels ? kOldKernelsRatio : kNewKernelsRatio;
  if (direction == OpKind::kConvForward) return generation;
  if (direction == OpKind::kConvBackwardData) {
    return generation * kDataEfficiency;
  }
  return generation *
         (taps <= 1 ? kPointwiseWeightEfficiency : kWeightEfficiency);
}

// Tensor cores outgrew what convolutions feed them. V100 needs no ratio
// (DeepBench, fp16mixed); A100's leave room for the batch normalisation in
// NVIDIA's published ResNet-50 training, about 940 images/s in TF32 and 2,470
// in FP16 (DeepLearningExamples, one A100 80 GB). Later GPUs are assumed.
double TensorFeedRatio(const MathRate& rate, const GpuSpec& gpu) {
  if (!rate.tensor || gpu.compute_major < 8) return 1;
  const bool tf32 = rate.peak_flops_per_s == gpu.tf32_flops_per_s;
  if (gpu.compute_major == 8) return tf32 ? 0.55 : 0.80;
  return tf32 ? 0.45 : 0.65;
}

// Share of a plain GEMM's rate that Winograd kernels keep; the rest goes into
// transforms.
constexpr double kFusedEfficiency = 0.62;
constexpr double kNonfusedEfficiency = 1.00;
constexpr double kNonfusedWeightEfficiency = 0.87;
constexpr double kWinogradChannels = 8;  // step of the fused kernel along C

// A convolution with defaults filled in and its strides recovered from the
// sizes (padding keeps in / out near the stride).
struct ConvShape {
  double batch, in_channels, out_channels, groups;
  double input_points, output_points, taps;
  double output_height, output_width;
  int64_t filter_height, filter_width;
  bool unit_stride;
  bool flat;  // 2-D
};

double OneIfUnset(const Operation& op, Dim dim) {
  return std::max<double>(1, op[dim]);
}

bool IsUnitStride(int64_t in, int64_t out) {
  return out > 0 && std::lround(static_cast<double>(in) / out) <= 1;
}

ConvShape ShapeOf(const Operation& op) {
  return {
      .batch = OneIfUnset(op, Dim::kBatch),
      .in_channels = OneIfUnset(op, Dim::kChannelsIn),
      .out_channels = OneIfUnset(op, Dim::kChannelsOut),
      .groups = OneIfUnset(op, Dim::kGroups),
      .input_points = OneIfUnset(op, Dim::kDepthIn) *
                      OneIfUnset(op, Dim::kHeightIn) *
                      OneIfUnset(op, Dim::kWidthIn),
      .output_points = OneIfUnset(op, Dim::kDepthOut) *
                       OneIfUnset(op, Dim::kHeightOut) *
                       OneIfUnset(op, Dim::kWidthOut),
      .taps = OneIfUnset(op, Dim::kFilterDepth) *
              OneIfUnset(op, Dim::kFilterHeight) *
              OneIfUnset(op, Dim::kFilterWidth),
      .output_height = OneIfUnset(op, Dim::kHeightOut),
      .output_width = OneIfUnset(op, Dim::kWidthOut),
      .filter_height = op[Dim::kFilterHeight],
      .filter_width = op[Dim::kFilterWidth],
      .unit_stride = IsUnitStride(op[Dim::kHeightIn], op[Dim::kHeightOut]) &&
                     IsUnitStride(op[Dim::kWidthIn], op[Dim::kWidthOut]),
      .flat = op[Dim::kFilterDepth] <= 1 && op[Dim::kDepthIn] <= 1,
  };
}

// Each direction as the GEMM that implicit-GEMM kernels run (cuDNN: Chetlur et
// al. 2014): the reduction runs over filter taps and channels, or over images
// and output points for the filter's gradient.
GemmShape ImplicitGemm(const Operation& op, const ConvShape& conv,
                       const GpuSpec& gpu) {
  const double in = conv.in_channels / conv.groups;
  const double out = conv.out_channels / conv.groups;
  GemmShape gemm{.batch = conv.groups,
                 .m = conv.batch * conv.output_points,
                 .n = out,
                 .k = in * conv.taps,
                 .bytes_per_element = BitsOf(op.storage) / 8.0,
                 .rate = ChannelRate(MathRateOf(op, gpu), in, out, gpu),
                 .kernels = GemmKernels::kConvolution};
  if (op.kind == OpKind::kConvBackwardData) {
    gemm.m = conv.batch * conv.input_points;
    gemm.n = in;
    // With a stride most taps of an input point hit no output; kernels skip
    // only some of them.
    gemm.k = out * conv.taps *
             std::min(1.0, std::pow(conv.output_points / conv.input_points,
                                    kStridedTapsExponent));
  } else if (op.kind == OpKind::kConvBackwardWeight) {
    gemm.m = in * conv.taps;
    gemm.n = out;
    gemm.k = conv.batch * conv.output_points;
    gemm.kernels = GemmKernels::kConvolutionSplittingK;
  }
  return gemm;
}

class ConvEngines {
 public:
  ConvEngines(const Operation& op, const Cost& cost, const GpuSpec& gpu)
      : gpu_(gpu),
        cost_(cost),
        direction_(op.kind),
        conv_(ShapeOf(op)),
        gemm_(ImplicitGemm(op, conv_, gpu)) {}

  std::vector<Alternative> All() {
    const GemmPlan plan = BestGemmPlan(gemm_, gpu_);
    const double gemm_ns = (plan.time.ns - kEmptyKernelNs) /
                           (ImplicitEfficiency(direction_, conv_.taps, gpu_) *
                            TensorFeedRatio(gemm_.rate, gpu_));
    const double memory_ns = Memory(cost_.bytes);
    // Index tables in a workspace spare address arithmetic.
    Add("implicit_precomp_gemm", gemm_ns, memory_ns,
        plan.workspace_bytes + 4 * conv_.taps * conv_.output_points, 1);
    Add("implicit_gemm", kNoPrecompRatio * gemm_ns, memory_ns, 0, 1);
    AddExplicitGemm();
    if (conv_.unit_stride && conv_.flat && conv_.groups == 1) {
      AddWinograd();
      AddFft();
    }
    std::stable_sort(
        engines_.begin(), engines_.end(),
        [](const Alternative& a, const Alternative& b) { return a.ns < b.ns; });
    return std::move(engines_);
  }

 private:
  double Memory(double bytes) const { return MemoryNs(bytes, gpu_); }

  void Add(std::string_view name, double compute_ns, double memory_ns,
           double workspace_bytes, double flops_reduction) {
    const ModelledTime time = WithLaunchFloor(compute_ns, memory_ns);
    engines_.push_back({.name = name,
                        .ns = time.ns,
                        .bound = time.bound,
                        .workspace_bytes = workspace_bytes,
                        .flops = cost_.flops / flops_reduction});
  }

  // im2col into a workspace and a plain GEMM, image by image; backward data
  // runs the GEMM first and adds the columns up. A stride wastes nothing here.
  void AddExplicitGemm() {
    const double columns = conv_.in_channels * conv_.taps;
    const double workspace =
        conv_.output_points * columns * gemm_.bytes_per_element;
    GemmShape gemm = gemm_;
    gemm.kernels = GemmKernels::kBlas;
    if (direction_ == OpKind::kConvForward) gemm.m = conv_.output_points;
    if (direction_ == OpKind::kConvBackwardWeight) gemm.k = conv_.output_points;
    if (direction_ == OpKind::kConvBackwardData) {
      gemm.m = conv_.output_points;
      gemm.n = columns / conv_.groups;
      gemm.k = conv_.out_channels / conv_.groups;
    }
    const double image_ns = BestGemmPlan(gemm, gpu_).time.ns + kEmptyKernelNs +
                            Memory(2 * workspace);
    Add("gemm", conv_.batch * image_ns, Memory(cost_.bytes), workspace, 1);
  }

  // Lavin and Gray 2015: F(2x2, 3x3) needs 16 instead of 36 multiplications,
  // F(4x4, 3x3) 36 instead of 144, as that many GEMMs over the tiles. The small
  // one runs in one kernel, the big one writes transformed tiles to a
  // workspace.
  void AddWinograd() {
    if (conv_.filter_height != 3 || conv_.filter_width != 3) return;
    if (!gemm_.rate.tensor && direction_ != OpKind::kConvBackwardWeight) {
      const double fused_ns =
          WinogradGemmNs(2, 16, kWinogradChannels) / kFusedEfficiency;
      Add("winograd_2x2", fused_ns, Memory(cost_.bytes), 0, 2.25);
    }
    const double tiles = WinogradTiles(4);
    const double workspace =
        36 * gemm_.bytes_per_element *
        (tiles * conv_.in_channels + tiles * conv_.out_channels +
         conv_.in_channels * conv_.out_channels);
    const double efficiency = direction_ == OpKind::kConvBackwardWeight
                                  ? kNonfusedWeightEfficiency
                                  : kNonfusedEfficiency;
    Add("winograd_4x4",
        WinogradGemmNs(4, 36, 1) /
                (efficiency * TensorFeedRatio(gemm_.rate, gpu_)) +
            Memory(2 * workspace),
        Memory(cost_.bytes), workspace, 4);
  }

  double WinogradTiles(double size) const {
    return conv_.batch * std::ceil(conv_.output_height / size) *
           std::ceil(conv_.output_width / size);
  }

  // Time of `points` GEMMs of one Winograd domain; input channels come in
  // multiples of `padding`.
  double WinogradGemmNs(double size, double points, double padding) const {
    const double channels = std::ceil(conv_.in_channels / padding) * padding;
    GemmShape gemm = gemm_;
    gemm.batch = points;
    gemm.m = WinogradTiles(size);
    gemm.n = conv_.out_channels;
    gemm.k = channels;
    gemm.kernels = GemmKernels::kConvolution;
    if (direction_ == OpKind::kConvBackwardData) std::swap(gemm.n, gemm.k);
    if (direction_ == OpKind::kConvBackwardWeight) {
      gemm.kernels = GemmKernels::kConvolutionSplittingK;
      std::swap(gemm.m, gemm.k);
    }
    return BestGemmPlan(gemm, gpu_).time.ns - kEmptyKernelNs;
  }

  // 32 x 32 tiles, real transforms: a complex product is four real ones over
  // half of the points.
  void AddFft() {
    if (gemm_.rate.tensor || conv_.taps < kShortestFftTaps ||
        conv_.filter_height > 31 || conv_.filter_width > 31) {
      return;
    }
    const double valid =
        (33.0 - conv_.filter_height) * (33.0 - conv_.filter_width);
    const double tiles =
        conv_.batch * std::max(1.0, conv_.output_points / valid);
    const double points = 32 * 32 / 2;
    const double products =
        8 * points * tiles * conv_.in_channels * conv_.out_channels;
    const double workspace = 8 * points *
                             (tiles * (conv_.in_channels + conv_.out_channels) +
                              conv_.in_channels * conv_.out_channels);
    const double fp32 = gpu_.fp32_flops_per_s * gpu_.sustained_fp32_ratio;
    const double efficiency = direction_ == OpKind::kConvBackwardWeight
                                  ? kFftWeightEfficiency
                                  : kFftEfficiency;
    Add("fft_tiling",
        products / (efficiency * fp32) * 1e9 + Memory(2 * workspace),
        Memory(cost_.bytes), workspace, cost_.flops / products);
  }

  const GpuSpec& gpu_;
  const Cost cost_;
  const OpKind direction_;
  const ConvShape conv_;
  const GemmShape gemm_;
  std::vector<Alternative> engines_;
};

}  // namespace

std::vector<Alternative> ConvAlternatives(const Operation& op,
                                          const GpuSpec& gpu) {
  const std::optional<Cost> cost = CostOf(op);
  if (!cost) return {};
  return ConvEngines(op, *cost, gpu).All();
}

}  // namespace dltap::opmodel
