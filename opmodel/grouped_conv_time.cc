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

// Widths of a group that have kernels of their own, as the steps of RegNets,
// NFNets, ResNeSts, ResNeXts and DLAs have it in both layouts.
bool IsWholeWidth(const ConvShape& conv) {
  const double in = conv.in_channels / conv.groups;
  return in == conv.out_channels / conv.groups &&
         (in == 4 || in == 8 || in == 16 || in == 32);
}

// Gradients have fewer: of multiples of 32 channels, in wide groups of 256.
bool HasGradients(const ConvShape& conv) {
  const bool wide = conv.in_channels / conv.groups >= 16;
  return IsWholeWidth(conv) &&
         std::fmod(conv.in_channels, wide ? 256 : 32) == 0;
}

// The other gradients run on the FP32 pipe. In NHWC they load operands the more
// often the narrower a group is. Kernels of NCHW, and those of NHWC for narrow
// groups, take each tap of each result by itself, so many a clock and SM.
constexpr double kDirectEfficiency = 0.13;
constexpr double kDirectReuse = 32;  // channels that halve the loads
constexpr double kTapsPerClock = 0.75;
constexpr double kNarrowWidth = 16;
constexpr double kFewGroups = 2;  // which NCHW runs as products instead
// What NHWC's other forward kernels pad the filters of a group to.
constexpr double kNhwcTileChannels = 64;

double Padded(double channels, double tile) {
  return std::max(1.0, std::ceil(channels / tile) * tile / channels);
}

double TensorNs(const ConvShape& conv, const GemmShape& gemm, const Cost& cost,
                double out_tile) {
  const double out = Padded(conv.out_channels / conv.groups, out_tile);
  const double in = gemm.rate.tensor
                        ? Padded(conv.in_channels / conv.groups, kTileChannels)
                        : 1;
  return in * out * cost.flops /
         (kGroupedEfficiency * gemm.rate.unlimited_flops_per_s) * 1e9;
}

}  // namespace

GroupedTime GroupedConvTime(const ConvShape& conv, const GemmShape& gemm,
                            const Cost& cost, const GpuSpec& gpu) {
  const double in = conv.in_channels / conv.groups;
  const bool weight = conv.direction == OpKind::kConvBackwardWeight;
  const double memory_ns = MemoryNs(cost.bytes, gpu) /
                           (weight ? kWeightBandwidthShare : kBandwidthShare);
  if (in <= 1) {
    const double efficiency =
        weight ? kDepthwiseWeightEfficiency : kDepthwiseEfficiency;
    return {.compute_ns = cost.flops / (efficiency * SustainedFp32(gpu)) * 1e9,
            .memory_ns = memory_ns};
  }
  return {.compute_ns = TensorNs(conv, gemm, cost, kTileChannels),
          .memory_ns = memory_ns};
}

namespace {

double DirectGradientNs(Layout layout, const ConvShape& conv, const Cost& cost,
                        const GpuSpec& gpu) {
  const double width = conv.out_channels / conv.groups;
  if (layout == Layout::kNhwc && width >= kNarrowWidth) {
    const double loads = 1 + kDirectReuse / width;
    return cost.flops * loads / (kDirectEfficiency * SustainedFp32(gpu)) * 1e9;
  }
  const double taps =
      conv.batch * conv.out_channels * conv.output_points * conv.taps;
  return taps / (kTapsPerClock * gpu.sms * gpu.boost_mhz) * 1e3;
}

}  // namespace

std::optional<ModelledTime> GroupedTimeIn(Layout layout, const Operation& op,
                                          const GpuSpec& gpu) {
  const ConvShape conv = ConvShapeOf(op);
  const std::optional<Cost> cost = CostOf(op);
  if (!cost || BitsOf(op.storage) != 16 || conv.groups <= 1 ||
      conv.in_channels <= conv.groups) {
    return std::nullopt;
  }
  const GemmShape gemm = ImplicitGemmOf(op, conv, gpu);
  GroupedTime time = GroupedConvTime(conv, gemm, *cost, gpu);
  if (op.kind == OpKind::kConvForward) {
    if (layout == Layout::kNchw || IsWholeWidth(conv)) return std::nullopt;
    time.compute_ns = TensorNs(conv, gemm, *cost, kNhwcTileChannels);
  } else {
    if (HasGradients(conv)) return std::nullopt;
    if (layout == Layout::kNchw && conv.groups <= kFewGroups)
      return std::nullopt;
    const double direct_ns = DirectGradientNs(layout, conv, *cost, gpu);
    time.compute_ns = layout == Layout::kNhwc
                          ? direct_ns
                          : std::max(time.compute_ns, direct_ns);
    if (layout == Layout::kNhwc) time.memory_ns = MemoryNs(cost->bytes, gpu);
  }
  return WithLaunchFloor(time.compute_ns, time.memory_ns);
}

}  // namespace dltap::opmodel
