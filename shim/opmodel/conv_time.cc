// SPDX-License-Identifier: Apache-2.0
#include "shim/opmodel/conv_time.h"

#include <algorithm>
#include <cmath>

#include "shim/opmodel/cost.h"
#include "shim/opmodel/gemm_time.h"
#include "shim/opmodel/launch_floor.h"
#include "shim/opmodel/math_rate.h"

namespace dltap::opmodel {
namespace {

// A convolution with defaults filled in and its strides recovered from the
// sizes (padding keeps in / out near the stride).
struct ConvShape {
  double batch, in_channels, out_channels, groups;
  double input_points, output_points, taps;
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
      .filter_height = op[Dim::kFilterHeight],
      .filter_width = op[Dim::kFilterWidth],
      .unit_stride =
          IsUnitStride(op[Dim::kHeightIn], op[Dim::kHeightOut]) &&
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
                 .rate = MathRateOf(op, gpu)};
  if (op.kind == OpKind::kConvBackwardData) {
    gemm.m = conv.batch * conv.input_points;
    gemm.n = in;
    gemm.k = out * conv.taps * conv.output_points / conv.input_points;
  } else if (op.kind == OpKind::kConvBackwardWeight) {
    gemm.m = in * conv.taps;
    gemm.n = out;
    gemm.k = conv.batch * conv.output_points;
  }
  return gemm;
}

class ConvEngines {
 public:
  ConvEngines(const Operation& op, const Cost& cost, const GpuSpec& gpu)
      : gpu_(gpu),
        cost_(cost),
        conv_(ShapeOf(op)),
        gemm_(ImplicitGemm(op, conv_, gpu)) {}

  std::vector<Alternative> All() {
    const GemmPlan plan = BestGemmPlan(gemm_, gpu_);
    const double gemm_ns = plan.time.ns - kEmptyKernelNs;
    const double memory_ns = MemoryNs(cost_.bytes);
    // Index tables in a workspace spare address arithmetic.
    Add("implicit_precomp_gemm", gemm_ns, memory_ns,
        plan.workspace_bytes + 4 * conv_.taps * conv_.output_points, 1);
    Add("implicit_gemm", 1.25 * gemm_ns, memory_ns, 0, 1);
    AddExplicitGemm(gemm_ns);
    if (conv_.unit_stride && conv_.flat && conv_.groups == 1) {
      AddWinograd(gemm_ns);
      AddFft();
    }
    std::stable_sort(
        engines_.begin(), engines_.end(),
        [](const Alternative& a, const Alternative& b) { return a.ns < b.ns; });
    return std::move(engines_);
  }

 private:
  double MemoryNs(double bytes) const {
    return bytes / (gpu_.bandwidth_bytes_per_s *
                    gpu_.sustained_bandwidth_ratio) * 1e9;
  }

  void Add(std::string_view name, double compute_ns, double memory_ns,
           double workspace_bytes, double flops_reduction) {
    const ModelledTime time = WithLaunchFloor(compute_ns, memory_ns);
    engines_.push_back({.name = name,
                        .ns = time.ns,
                        .bound = time.bound,
                        .workspace_bytes = workspace_bytes,
                        .flops = cost_.flops / flops_reduction});
  }

  // im2col into a workspace, then a plain GEMM.
  void AddExplicitGemm(double gemm_ns) {
    const double columns = conv_.batch * conv_.output_points *
                           conv_.in_channels * conv_.taps *
                           gemm_.bytes_per_element;
    Add("gemm", gemm_ns + MemoryNs(2 * columns), MemoryNs(cost_.bytes),
        columns, 1);
  }

  // Lavin and Gray 2015: F(2x2, 3x3) needs 16 instead of 36 multiplications,
  // F(4x4, 3x3) 36 instead of 144. The small one runs in one kernel, the big
  // one writes transformed tiles to a workspace.
  void AddWinograd(double gemm_ns) {
    if (conv_.filter_height != 3 || conv_.filter_width != 3) return;
    Add("winograd_2x2", gemm_ns / (2.25 * 0.6), MemoryNs(cost_.bytes), 0,
        2.25);
    const double tiles = conv_.batch * std::ceil(conv_.output_points / 16);
    const double workspace = 36 * gemm_.bytes_per_element *
                             (tiles * conv_.in_channels +
                              tiles * conv_.out_channels +
                              conv_.in_channels * conv_.out_channels);
    Add("winograd_4x4", gemm_ns / (4 * 0.8) + MemoryNs(2 * workspace),
        MemoryNs(cost_.bytes), workspace, 4);
  }

  // 32 x 32 tiles, real transforms: a complex product is four real ones over
  // half of the points.
  void AddFft() {
    if (conv_.filter_height > 31 || conv_.filter_width > 31) return;
    const double valid =
        (33.0 - conv_.filter_height) * (33.0 - conv_.filter_width);
    const double tiles =
        conv_.batch * std::max(1.0, conv_.output_points / valid);
    const double points = 32 * 32 / 2;
    const double products =
        8 * points * tiles * conv_.in_channels * conv_.out_channels;
    const double workspace =
        8 * points *
        (tiles * (conv_.in_channels + conv_.out_channels) +
         conv_.in_channels * conv_.out_channels);
    const double fp32 = gpu_.fp32_flops_per_s * gpu_.sustained_fp32_ratio;
    Add("fft_tiling", products / (0.6 * fp32) * 1e9 + MemoryNs(2 * workspace),
        MemoryNs(cost_.bytes), workspace, cost_.flops / products);
  }

  const GpuSpec& gpu_;
  const Cost cost_;
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
