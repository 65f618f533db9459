// SPDX-License-Identifier: Apache-2.0
#include "opmodel/grouped_conv_time.h"

#include <algorithm>

#include "opmodel/streaming_time.h"

namespace dltap::opmodel {
namespace {

// Fits to the shown rows of the scoreboard of whole steps
// (scripts/score_steps.py: timm on an RTX 3090).
//
// Share of the FP32 rate that depthwise kernels keep: next to each FMA they
// load an operand from the L1 and convert it. The filter's gradient reduces
// over all images and points.
constexpr double kDepthwiseEfficiency = 0.25;
constexpr double kDepthwiseWeightEfficiency = 0.06;
constexpr double kBandwidthShare = 0.80;
constexpr double kWeightBandwidthShare = 0.45;
// Channels of a group are padded to a tensor core's tile.
constexpr double kTileChannels = 16;
constexpr double kGroupedEfficiency = 0.70;

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

}  // namespace dltap::opmodel
