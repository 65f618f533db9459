// SPDX-License-Identifier: Apache-2.0
#include "opmodel/conv_time.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "opmodel/conv_shape.h"
#include "opmodel/cost.h"
#include "opmodel/gemm_time.h"
#include "opmodel/grouped_conv_time.h"
#include "opmodel/modelled_time.h"
#include "opmodel/streaming_time.h"
#include "opmodel/winograd_time.h"

namespace dltap::opmodel {
namespace {

// All shares are fits to DeepBench's training sheets.
//
// Rate of implicit-GEMM kernels by that of a plain GEMM: cuDNN 5 and 6 before
// Volta compute addresses while they load, cuDNN 7 on V100 beats cuBLAS 10's
// sustained rate. The filter's gradient adds partial sums atomically: for 1x1
// filters, whose results are few products each, that is as much work as this
// many more points.
constexpr double kOldKernelsRatio = 0.90;
constexpr double kNewKernelsRatio = 1.08;
constexpr double kDataEfficiency = 0.92;
constexpr double kWeightEfficiency = 0.95;
constexpr double kPointwiseWeightEfficiency = 0.80;
constexpr double kAtomicsInPoints = 350;
// A 1x1 filter with a stride uses half of each sector that it loads or adds to.
constexpr double kStridedPointwiseEfficiency = 0.87;
constexpr double kNoPrecompRatio = 1.25;  // without the index workspace
constexpr double kFftEfficiency = 0.45;
constexpr double kFftWeightEfficiency = 0.20;
constexpr double kShortestFftTaps = 9;  // FFT of 1x1 filters is not offered

bool IsTensorConv(const MathRate& rate, const GpuSpec& gpu) {
  return rate.tensor && gpu.vendor == Vendor::kNvidia && gpu.compute_major >= 8;
}

double ImplicitEfficiency(const ConvShape& conv, const MathRate& rate,
                          const GpuSpec& gpu) {
  const bool old_kernels =
      gpu.vendor == Vendor::kNvidia && gpu.compute_major < 7;
  const double generation = old_kernels
                                ? kOldKernelsRatio * GeForceRatio(conv, gpu)
                                : kNewKernelsRatio;
  if (conv.direction == OpKind::kConvForward) return generation;
  // By the shown rows of whole steps their gradients lose nothing.
  const bool equal = IsTensorConv(rate, gpu);
  const bool pointwise = conv.taps <= 1;
  const double strided =
      pointwise && !conv.unit_stride ? kStridedPointwiseEfficiency : 1;
  if (conv.direction == OpKind::kConvBackwardData) {
    return generation * strided * (equal ? 1 : kDataEfficiency);
  }
  if (!pointwise) return generation * (equal ? 1 : kWeightEfficiency);
  return generation * strided * (equal ? 1 : kPointwiseWeightEfficiency);
}

class ConvEngines {
 public:
  ConvEngines(const Operation& op, const Cost& cost, const GpuSpec& gpu)
      : gpu_(gpu),
        storage_(op.storage),
        cost_(cost),
        conv_(ConvShapeOf(op)),
        gemm_(ImplicitGemmOf(op, conv_, gpu)) {}

  std::vector<Alternative> All() {
    // Index tables in a workspace spare address arithmetic.
    const GemmPlan plan = ImplicitPlan(1);
    AddImplicit("implicit_precomp_gemm", plan,
                plan.workspace_bytes + 4 * conv_.taps * conv_.output_points);
    AddImplicit("implicit_gemm", ImplicitPlan(1 / kNoPrecompRatio), 0);
    AddExplicitGemm();
    if (conv_.groups > 1) AddGrouped();
    // cuDNN has BF16 in implicit GEMMs alone.
    if (conv_.unit_stride && conv_.flat && conv_.groups == 1 &&
        storage_ != DType::kBf16) {
      AddWinograd();
      AddFft();
    }
    std::stable_sort(
        engines_.begin(), engines_.end(),
        [](const Alternative& a, const Alternative& b) { return a.ns < b.ns; });
    return std::exchange(engines_, {});
  }

 private:
  double Memory(double bytes) const { return MemoryNs(bytes, gpu_); }

  // Efficiencies are of the kernels' arithmetic, not of the memory.
  GemmPlan ImplicitPlan(double ratio) const {
    GemmShape gemm = gemm_;
    ratio *= ImplicitEfficiency(conv_, gemm.rate, gpu_);
    gemm.rate.sustained_flops_per_s *= ratio;
    gemm.rate.unlimited_flops_per_s *= ratio;
    return BestGemmPlan(gemm, gpu_);
  }

  double AtomicsNs() const {
    if (conv_.direction != OpKind::kConvBackwardWeight || conv_.taps > 1) {
      return 0;
    }
    return 2 * gemm_.batch * gemm_.m * gemm_.n * kAtomicsInPoints /
           (ImplicitEfficiency(conv_, gemm_.rate, gpu_) *
            gemm_.rate.sustained_flops_per_s) *
           1e9;
  }

  void AddImplicit(std::string_view name, const GemmPlan& plan,
                   double workspace_bytes) {
    const double work_ns = plan.time.ns - kEmptyKernelNs + AtomicsNs();
    const bool streams = plan.time.bound == Bound::kMemory;
    Add(name, streams ? 0 : work_ns,
        std::max(streams ? work_ns : 0, Memory(cost_.bytes)), workspace_bytes,
        1);
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

  // im2col into a workspace and a plain GEMM, image by image; backward data
  // runs the GEMM first and adds the columns up. A stride wastes nothing here.
  void AddExplicitGemm() {
    const double columns = conv_.in_channels * conv_.taps;
    const double workspace =
        conv_.output_points * columns * gemm_.bytes_per_element;
    GemmShape gemm = gemm_;
    gemm.kernels = GemmKernels::kBlas;
    gemm.a_copies = 1;  // in the workspace the matrix does exist
    if (conv_.direction == OpKind::kConvForward) gemm.m = conv_.output_points;
    if (conv_.direction == OpKind::kConvBackwardWeight)
      gemm.k = conv_.output_points;
    if (conv_.direction == OpKind::kConvBackwardData) {
      gemm.m = conv_.output_points;
      gemm.n = columns / conv_.groups;
      gemm.k = conv_.out_channels / conv_.groups;
    }
    // Backward reads what it adds to as well.
    const double passes = conv_.direction == OpKind::kConvForward ? 2 : 4;
    const double image_ns = BestGemmPlan(gemm, gpu_).time.ns +
                            passes / 2 * kEmptyKernelNs +
                            Memory(passes * workspace);
    Add("gemm", conv_.batch * image_ns, Memory(cost_.bytes), workspace, 1);
  }

  void AddGrouped() {
    const GroupedTime time = GroupedConvTime(conv_, gemm_, cost_, gpu_);
    Add("grouped_direct", time.compute_ns, time.memory_ns, 0, 1);
  }

  void AddWinograd() {
    if (const auto fused = FusedWinograd(conv_, gemm_, gpu_)) {
      Add("winograd_2x2", fused->compute_ns, Memory(cost_.bytes),
          fused->workspace_bytes, 36.0 / 16);
    }
    if (const auto nonfused = NonfusedWinograd(conv_, gemm_, gpu_)) {
      Add("winograd_4x4", nonfused->compute_ns, Memory(cost_.bytes),
          nonfused->workspace_bytes, 144.0 / 36);
    }
  }

  static double PadFft(double channels) {
    return std::ceil(channels / 16) * 16;
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
    const double points = 32.0 * 32 / 2;
    const double products = 8 * points * tiles * PadFft(conv_.in_channels) *
                            PadFft(conv_.out_channels);
    const double workspace = 8 * points *
                             (tiles * (conv_.in_channels + conv_.out_channels) +
                              conv_.in_channels * conv_.out_channels);
    const double fp32 = SustainedFp32(gpu_);
    const double efficiency = conv_.direction == OpKind::kConvBackwardWeight
                                  ? kFftWeightEfficiency
                                  : kFftEfficiency;
    Add("fft_tiling",
        products / (efficiency * fp32) * 1e9 + Memory(2 * workspace),
        Memory(cost_.bytes), workspace, cost_.flops / products);
  }

  const GpuSpec& gpu_;
  const DType storage_;
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
