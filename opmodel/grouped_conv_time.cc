// SPDX-License-Identifier: Apache-2.0
#include "opmodel/grouped_conv_time.h"

#include <algorithm>
#include <cmath>

#include "opmodel/streaming_time.h"

namespace dltap::opmodel {
namespace {

// Fits to the shown rows of the scoreboard of whole steps
// (scripts/score_steps.py: timm on an RTX 3090).
//
// Share of the FP32 rate that depthwise kernels keep: next to each FMA they
// load an operand from the L1 and convert it. The filter's gradient reduces
// over all images and points.
constexpr double kDepthwiseEfficiency = 0.235;
constexpr double kDepthwiseWeightEfficiency = 0.045;
constexpr double kBandwidthShare = 0.68;
constexpr double kWeightBandwidthShare = 0.40;
// Channels of a group are padded to a tensor core's tile.
constexpr double kTileChannels = 16;
constexpr double kGroupedEfficiency = 0.55;

// Gradients in NHWC (training of RegNets, NFNets, ResNeSts and ResNeXts with
// PyTorch 1.12, in both layouts): fast where a group has 4 or 8 channels, or 16
// or 32 of a multiple of 256. The others run on the FP32 pipe, and load
// operands as often as a group is narrow.
constexpr double kWholeChannels = 256;
constexpr double kDirectEfficiency = 0.16;
constexpr double kDirectReuse = 64;  // channels that halve the loads

bool HasNhwcGradients(const ConvShape& conv) {
  const double in = conv.in_channels / conv.groups;
  if (in != conv.out_channels / conv.groups) return false;
  if (in == 4 || in == 8) return true;
  return (in == 16 || in == 32) &&
         std::fmod(conv.in_channels, kWholeChannels) == 0;
}

double Padded(double channels) {
  return std::max(1.0, kTileChannels / channels);
}

}  // namespace

GroupedTime GroupedConvTime(const ConvShape& conv, const GemmShape& gemm,
                            const Cost& cost, const GpuSpec& gpu) {
  const double in = conv.in_channels / conv.groups;
  const double out = conv.out_channels / conv.groups;
  const bool weight = conv.direction == OpKind::kConvBackwardWeight;
  const double memory_ns = MemoryNs(cost.bytes, gpu) /
                           (weight ? kWeightBandwidthShare : kBandwidthShare);
  if (in <= 1) {
    const double efficiency =
        weight ? kDepthwiseWeightEfficiency : kDepthwiseEfficiency;
    return {.compute_ns = cost.flops / (efficiency * SustainedFp32(gpu)) * 1e9,
            .memory_ns = memory_ns};
  }
  const double padding =
      gemm.rate.tensor ? Padded(in) * Padded(out) : Padded(out);
  return {.compute_ns = padding * cost.flops /
                        (kGroupedEfficiency * gemm.rate.unlimited_flops_per_s) *
                        1e9,
          .memory_ns = memory_ns};
}

std::optional<ModelledTime> NhwcGradientTime(const Operation& op,
                                             const GpuSpec& gpu) {
  const ConvShape conv = ConvShapeOf(op);
  const double in = conv.in_channels / conv.groups;
  const bool gradient = op.kind == OpKind::kConvBackwardData ||
                        op.kind == OpKind::kConvBackwardWeight;
  if (!gradient || BitsOf(op.storage) != 16 || conv.groups <= 1 || in <= 1 ||
      HasNhwcGradients(conv)) {
    return std::nullopt;
  }
  const std::optional<Cost> cost = CostOf(op);
  if (!cost) return std::nullopt;
  const double out = conv.out_channels / conv.groups;
  const double compute_ns = cost->flops * (1 + kDirectReuse / out) /
                            (kDirectEfficiency * SustainedFp32(gpu)) * 1e9;
  return WithLaunchFloor(compute_ns, MemoryNs(cost->bytes, gpu));
}

}  // namespace dltap::opmodel
