// SPDX-License-Identifier: Apache-2.0
#include "opmodel/winograd_time.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "opmodel/gemm_time.h"
#include "opmodel/modelled_time.h"
#include "opmodel/streaming_time.h"

namespace dltap::opmodel {
namespace {

// Share of a plain GEMM's rate that Winograd kernels keep, fits to DeepBench's
// training sheets; the rest goes into transforms.
constexpr double kFusedEfficiency = 0.62;
constexpr double kNonfusedEfficiency = 1.00;
constexpr double kNonfusedWeightEfficiency = 0.87;
// cuDNN 7's kernels on V100 against cuDNN 5's and 6's on older GPUs.
constexpr double kNewKernelsRatio = 1.18;

// A thread block of the fused kernels owns 32 tiles by 32 filters (Lavin and
// Gray, "Fast Algorithms for Convolutional Neural Networks", 2015) or by 64
// (Yan, Wang and Chu, "Optimizing Batched Winograd Convolution on GPUs", 2020),
// all 16 points of them, and walks the channels in steps of 8. The narrow block
// loads more operands for a product. Its share is a fit to DeepBench's sheets
// of five GPUs, where 32 filters alone take half of the time of 64.
struct FusedBlock {
  double filters;
  double efficiency;
};
constexpr FusedBlock kFusedBlocks[] = {{64, 1.00}, {32, 0.88}};
constexpr double kFusedTiles = 32;
constexpr double kFusedChannelStep = 8;
constexpr double kFusedTail = 0.5;  // of a block; see gemm_time.cc
constexpr double kFusedPoints = 16;
constexpr double kNonfusedPoints = 36;

double GenerationRatio(const ConvShape& conv, const GemmShape& gemm,
                       const GpuSpec& gpu) {
  return !gemm.rate.tensor && gpu.compute_major >= 7 ? kNewKernelsRatio
                                                     : GeForceRatio(conv, gpu);
}

bool IsThreeByThree(const ConvShape& conv) {
  return conv.filter_height == 3 && conv.filter_width == 3;
}

// The M40 sheet shows no Winograd for the filter's gradient.
bool HasWeightGradient(const GpuSpec& gpu) {
  return gpu.vendor != Vendor::kNvidia || gpu.compute_major >= 6;
}

// Output tiles of size x size of all images.
double TilesOf(const ConvShape& conv, double size) {
  return conv.batch * std::ceil(conv.output_height / size) *
         std::ceil(conv.output_width / size);
}

}  // namespace

std::optional<WinogradTime> FusedWinograd(const ConvShape& conv,
                                          const GemmShape& gemm,
                                          const GpuSpec& gpu) {
  if (!IsThreeByThree(conv) || gemm.rate.tensor ||
      conv.direction == OpKind::kConvBackwardWeight) {
    return std::nullopt;
  }
  double channels = conv.in_channels;
  double filters = conv.out_channels;
  if (conv.direction == OpKind::kConvBackwardData) {
    std::swap(channels, filters);
  }
  const double padded =
      std::ceil(channels / kFusedChannelStep) * kFusedChannelStep;
  const double sm_flops_per_s = kFusedEfficiency *
                                GenerationRatio(conv, gemm, gpu) *
                                gemm.rate.sustained_flops_per_s / gpu.sms;
  const auto compute_ns = [&](const FusedBlock& block) {
    const double blocks = std::ceil(TilesOf(conv, 2) / kFusedTiles) *
                          std::ceil(filters / block.filters);
    const double waves = std::ceil(blocks / gpu.sms) + kFusedTail;
    const double block_flops =
        2 * kFusedPoints * kFusedTiles * block.filters * padded;
    return waves * block_flops / (block.efficiency * sm_flops_per_s) * 1e9;
  };
  return WinogradTime{.compute_ns = std::min(compute_ns(kFusedBlocks[0]),
                                             compute_ns(kFusedBlocks[1])),
                      .workspace_bytes = 0};
}

std::optional<WinogradTime> NonfusedWinograd(const ConvShape& conv,
                                             const GemmShape& gemm,
                                             const GpuSpec& gpu) {
  const bool weight = conv.direction == OpKind::kConvBackwardWeight;
  // On sm_80 and later traces show tensor cores on implicit GEMMs alone.
  const bool outgrown = gemm.rate.tensor && gpu.compute_major >= 8;
  if (!IsThreeByThree(conv) || outgrown ||
      (weight && !HasWeightGradient(gpu))) {
    return std::nullopt;
  }
  const double tiles = TilesOf(conv, 4);
  GemmShape points = gemm;
  points.batch = kNonfusedPoints;
  points.m = tiles;
  points.n = conv.out_channels;
  points.k = conv.in_channels;
  points.kernels = GemmKernels::kConvolution;
  points.a_copies = 1;
  if (conv.direction == OpKind::kConvBackwardData) {
    std::swap(points.n, points.k);
  }
  if (weight) {
    points.kernels = GemmKernels::kConvolutionSplittingK;
    std::swap(points.m, points.k);
  }
  const double efficiency =
      (weight ? kNonfusedWeightEfficiency : kNonfusedEfficiency) *
      GenerationRatio(conv, gemm, gpu);
  const double workspace_bytes =
      kNonfusedPoints * gemm.bytes_per_element *
      (tiles * conv.in_channels + tiles * conv.out_channels +
       conv.in_channels * conv.out_channels);
  const double gemm_ns = BestGemmPlan(points, gpu).time.ns - kEmptyKernelNs;
  return WinogradTime{
      .compute_ns = gemm_ns / efficiency + MemoryNs(2 * workspace_bytes, gpu),
      .workspace_bytes = workspace_bytes};
}

}  // namespace dltap::opmodel
