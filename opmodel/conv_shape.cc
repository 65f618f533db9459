// SPDX-License-Identifier: Apache-2.0
#include "opmodel/conv_shape.h"

#include <algorithm>
#include <cmath>

#include "opmodel/math_rate.h"

namespace dltap::opmodel {
namespace {

// 1 where backward data skips every tap that a stride makes useless, 0 where
// none; DeepBench's 1x1, 5x5 and 10x5 filters of stride 2 lie around this.
constexpr double kStridedTapsExponent = 0.33;

double OneIfUnset(const Operation& op, Dim dim) {
  return std::max<double>(1, op[dim]);
}

// Of a group, of the tensor that the taps read.
double GatheredElements(const ConvShape& conv) {
  return conv.batch / conv.groups *
         (conv.direction == OpKind::kConvBackwardData
              ? conv.out_channels * conv.output_points
              : conv.in_channels * conv.input_points);
}

bool IsUnitStride(int64_t in, int64_t out) {
  return out > 0 && std::lround(static_cast<double>(in) / out) <= 1;
}

}  // namespace

ConvShape ConvShapeOf(const Operation& op) {
  return {
      .direction = op.kind,
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

GemmShape ImplicitGemmOf(const Operation& op, const ConvShape& conv,
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
  gemm.a_copies = std::max(1.0, gemm.m * gemm.k / GatheredElements(conv));
  return gemm;
}

// All engines of DeepBench's GTX 1080 Ti and TITAN Xp are alike this much
// faster than P100's and M40's against the GEMMs of their board, filter
// gradients excepted: such boards clock above their nominal boost where a
// kernel draws less power than a GEMM.
double GeForceRatio(const ConvShape& conv, const GpuSpec& gpu) {
  constexpr double kAboveBoost = 1.12;
  const bool sm_61 = IsPascal(gpu) && gpu.compute_minor >= 1;
  return sm_61 && conv.direction != OpKind::kConvBackwardWeight ? kAboveBoost
                                                                : 1;
}

}  // namespace dltap::opmodel
