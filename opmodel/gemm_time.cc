// SPDX-License-Identifier: Apache-2.0
#include "opmodel/gemm_time.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "opmodel/gemm_stalls.h"
#include "opmodel/modelled_time.h"
#include "opmodel/streaming_time.h"
#include "opmodel/tensor_kernels.h"

namespace dltap::opmodel {
namespace {

// Tiles that the vendors' kernel names show (sgemm_128x64, s16816gemm_256x128),
// with the share of the sustained rate that a kernel of this tile keeps. A tile
// of a x b loads a + b operands per a b products, so small tiles wait for
// shared memory; on a GPU that its power cap slows down they cost clock as
// well, since moving operands takes power too (T4: 64x64 keeps 30 % of the peak
// where 128x128 keeps 50 %). Calibrated on NeuSight's linear and bmm traces.
struct Tile {
  int m;
  int n;
  double efficiency;
  double capped_efficiency;
};
constexpr Tile kVectorTiles[] = {
    {128, 128, 1.00, 1.00}, {128, 64, 1.00, 0.92}, {64, 128, 1.00, 0.92},
    {64, 64, 0.95, 0.65},   {128, 32, 0.90, 0.65}, {32, 128, 0.90, 0.65},
    {64, 32, 0.80, 0.50},   {32, 64, 0.80, 0.50},  {32, 32, 0.70, 0.40},
};
constexpr Tile kTensorTiles[] = {
    {256, 128, 1.00, 1.00}, {128, 256, 1.00, 1.00}, {128, 128, 0.95, 0.95},
    {128, 64, 0.85, 0.85},  {64, 128, 0.85, 0.85},  {64, 64, 0.70, 0.70},
    {128, 32, 0.55, 0.55},  {32, 128, 0.55, 0.55},  {64, 32, 0.45, 0.45},
    {32, 64, 0.45, 0.45},   {32, 32, 0.30, 0.30},
};
// Batched FP32 GEMMs are not searched by the libraries: one kernel per
// architecture runs nearly every shape of NeuSight's bmm traces.
constexpr Tile kBatchedMaxwell[] = {{128, 64, 1.00, 0.92}};
constexpr Tile kBatchedVolta[] = {{128, 64, 1.00, 0.92},
                                  {64, 64, 0.95, 0.65},
                                  {128, 32, 0.90, 0.65},
                                  {32, 128, 0.90, 0.65}};
constexpr Tile kBatchedAmpere[] = {{128, 128, 1.00, 1.00}};

// cuDNN's scudnn_128x128, _128x64 and _128x32: points by channels.
constexpr Tile kConvolutionTiles[] = {
    {128, 128, 1.00, 1.00}, {128, 64, 1.00, 0.92}, {128, 32, 0.90, 0.65}};

// DeepBench's M40 sheet (cuBLAS 7.5): 16 and 32 columns cost as much as 64, and
// long dot products are not split. cuDNN's recurrent steps do have the tiles.
constexpr Tile kMaxwellTiles[] = {{128, 128, 1.00, 1.00},
                                  {128, 64, 1.00, 0.92},
                                  {64, 128, 1.00, 0.92},
                                  {64, 64, 0.95, 0.65}};

// cuBLAS's on sm_80 to sm_89; see tensor_kernels.cc for what they were fitted
// to.
constexpr Tile kBlasTensorTiles[] = {
    {256, 128, 1.00, 1.00}, {128, 256, 1.00, 1.00}, {128, 128, 0.80, 0.80},
    {128, 64, 0.80, 0.80},  {64, 128, 0.80, 0.80},  {64, 64, 0.74, 0.74},
    {128, 32, 0.48, 0.48},  {32, 128, 0.48, 0.48},  {64, 32, 0.43, 0.43},
    {32, 64, 0.43, 0.43},   {32, 32, 0.34, 0.34},
};

std::span<const Tile> TilesFor(const GemmShape& shape, const GpuSpec& gpu) {
  if (RunsTensorKernels(shape, gpu) && gpu.compute_major == 8) {
    return kBlasTensorTiles;
  }
  if (shape.rate.tensor) return kTensorTiles;
  if (shape.kernels == GemmKernels::kRecurrent) return kVectorTiles;
  if (shape.kernels != GemmKernels::kBlas) return kConvolutionTiles;
  if (gpu.vendor != Vendor::kNvidia) return kVectorTiles;
  if (shape.batch <= 1) {
    return IsMaxwell(gpu) ? std::span<const Tile>(kMaxwellTiles)
                          : std::span<const Tile>(kVectorTiles);
  }
  if (gpu.compute_major < 7) return kBatchedMaxwell;
  if (gpu.compute_major == 7) return kBatchedVolta;
  return kBatchedAmpere;
}

// A library passes a tile over because it expects no gain; such plans are
// listed at this ratio to the chosen one's time at best.
constexpr double kPassedOverRatio = 1.02;

constexpr int kSplits[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};

// The fullest SM computes its tiles and, in tiles, loses this much to filling
// and draining: the first loads and the last stores overlap with nothing, and a
// lone block cannot hide its latency.
constexpr double kTailTiles = 0.5;
// cuDNN 7's kernels on V100 lose less than cuDNN 5's and 6's on older GPUs.
constexpr double kNewConvolutionTailTiles = 0.25;

double TailTiles(const GemmShape& shape, const GpuSpec& gpu) {
  return shape.kernels != GemmKernels::kBlas && gpu.compute_major >= 7
             ? kNewConvolutionTailTiles
             : kTailTiles;
}

// Products that prologue and epilogue of a tile cost, in steps of k.
constexpr double kEdgeK = 16;
// Several concurrent blocks of one kernel share the L2: operand panels are read
// from memory once per wave.
double DramBytes(const GemmShape& shape, const Tile& tile, int split_k,
                 double blocks_per_wave, const GpuSpec& gpu) {
  const double rows = std::ceil(shape.m / tile.m);
  const double columns = std::ceil(shape.n / tile.n);
  const double a = shape.m * shape.k / shape.a_copies;
  const double b = shape.k * shape.n;
  const double panels = std::min(blocks_per_wave, rows * columns * split_k);
  // A wave covers a near-square patch of tiles; each patch reads its panels.
  const double patch_rows = std::min(rows, std::max(1.0, std::sqrt(panels)));
  const double patch_columns =
      std::min(columns, std::max(1.0, panels / patch_rows));
  double reads =
      a * std::ceil(columns / patch_columns) + b * std::ceil(rows / patch_rows);
  if ((a + b) * shape.bytes_per_element < 0.7 * gpu.l2_bytes) reads = a + b;
  const double writes = shape.m * shape.n;
  const double partial = split_k > 1 ? 2.0 * split_k * writes * 4 : 0;
  return shape.batch * ((reads + writes) * shape.bytes_per_element + partial);
}

// Tensor cores that multiply slowly (GeForce's, with FP32 sums: 512 FLOPs a
// clock and SM) need fewer operands, so that small tiles cost them less. The
// tiles' shares were fitted where it is 1,024: V100 and L40S.
double FedEfficiency(const GemmShape& shape, double efficiency,
                     const GpuSpec& gpu) {
  constexpr double kFittedFlops = 1024;
  if (!shape.rate.tensor) return efficiency;
  const double flops_per_clock =
      shape.rate.peak_flops_per_s / gpu.sms / (gpu.boost_mhz * 1e6);
  return 1 - (1 - efficiency) * std::min(1.0, flops_per_clock / kFittedFlops);
}

// Small tiles cost energy, so the power limit leaves them less. A kernel that
// stalls draws less power instead, so that the clock rises until the kernel or
// the power limits it.
double TileRate(const GemmShape& shape, const Tile& tile, const GpuSpec& gpu) {
  const MathRate& rate = shape.rate;
  const double stalls = StallEfficiency(shape, gpu);
  const double energy =
      IsPowerCapped(gpu) ? tile.capped_efficiency : tile.efficiency;
  return FedEfficiency(shape, energy, gpu) *
         std::min(rate.unlimited_flops_per_s * stalls,
                  rate.sustained_flops_per_s);
}

// Of each step of k a block loads one column of its rows of A and one row of
// its columns of B.
double GatherNs(const GemmShape& shape, const Tile& tile, double waves,
                double k, const GpuSpec& gpu) {
  return GatherNs(shape, waves * k * (tile.m + tile.n), gpu);
}

ModelledTime TensorTime(const GemmShape& shape, const Tile& tile, int split_k,
                        const GpuSpec& gpu) {
  const TensorKernels kernels = TensorKernelsOf(shape, gpu);
  const double k = std::ceil(shape.k / split_k);
  const double blocks = shape.batch * std::ceil(shape.m / tile.m) *
                        std::ceil(shape.n / tile.n) * split_k;
  const double sm_flops_per_s = FedEfficiency(shape, tile.efficiency, gpu) *
                                shape.rate.sustained_flops_per_s / gpu.sms;
  const double block_ns = 2.0 * shape.real_ops_factor * tile.m * tile.n *
                          (k + kernels.edge_k) / sm_flops_per_s * 1e9;
  const double waves = std::ceil(blocks / gpu.sms) + kernels.tail_tiles;
  const double compute_ns =
      std::max({waves * block_ns, k * kernels.step_ns,
                GatherNs(shape, tile, waves, k + kernels.edge_k, gpu)});
  const double memory_ns =
      TensorMemoryNs(shape, DramBytes(shape, tile, split_k, gpu.sms, gpu), gpu);
  ModelledTime time = WithLaunchFloor(compute_ns, memory_ns);
  time.ns += kernels.floor_ns - kEmptyKernelNs;
  return time;
}

ModelledTime PlainTime(const GemmShape& shape, const Tile& tile, int split_k,
                       const GpuSpec& gpu) {
  const double k = std::ceil(shape.k / split_k);
  const double blocks = shape.batch * std::ceil(shape.m / tile.m) *
                        std::ceil(shape.n / tile.n) * split_k;
  const double waves = std::ceil(blocks / gpu.sms) + TailTiles(shape, gpu);
  const double sm_flops_per_s = TileRate(shape, tile, gpu) / gpu.sms;
  const double tile_flops =
      2.0 * shape.real_ops_factor * tile.m * tile.n * (k + kEdgeK);
  const double compute_ns =
      std::max(waves * tile_flops / sm_flops_per_s * 1e9,
               GatherNs(shape, tile, waves, k + kEdgeK, gpu));
  const double memory_ns =
      MemoryNs(DramBytes(shape, tile, split_k, gpu.sms, gpu), gpu);
  return WithLaunchFloor(compute_ns, memory_ns);
}

GemmPlan Evaluate(const GemmShape& shape, const Tile& tile, int split_k,
                  const GpuSpec& gpu) {
  ModelledTime time = RunsTensorKernels(shape, gpu)
                          ? TensorTime(shape, tile, split_k, gpu)
                          : PlainTime(shape, tile, split_k, gpu);
  if (split_k > 1) time.ns += kEmptyKernelNs;  // the reduction kernel
  return {
      .tile_m = tile.m,
      .tile_n = tile.n,
      .split_k = split_k,
      .time = time,
      .workspace_bytes =
          split_k > 1 ? 4.0 * split_k * shape.batch * shape.m * shape.n : 0};
}

// cuBLAS on sm_80 and later splits k where the tiles do not fill the SMs, but
// not to even out the last wave (A100: NeuSight's linear layers below 2 ms are
// 10 % slower than even waves). Under a power cap the busy SMs of an uneven
// wave run faster instead, so that it looks even (T4).
bool SplitsOnlyToFill(const GemmShape& shape, const GpuSpec& gpu) {
  return shape.batch <= 1 && gpu.compute_major >= 8 && !IsPowerCapped(gpu);
}

bool MaySplit(const GemmShape& shape, const Tile& tile, int split_k,
              const GpuSpec& gpu) {
  constexpr double kShortestK = 64;
  if (shape.kernels == GemmKernels::kBlas &&
      (SplitsOnlyToFill(shape, gpu) || RunsTensorKernels(shape, gpu)) &&
      std::ceil(shape.m / tile.m) * std::ceil(shape.n / tile.n) >= gpu.sms) {
    return false;
  }
  if (shape.kernels == GemmKernels::kConvolution) return false;
  if (shape.kernels != GemmKernels::kConvolutionSplittingK && IsMaxwell(gpu)) {
    return false;
  }
  return shape.k / split_k >= kShortestK;
}

template <typename Visit>
void ForEachPlan(const GemmShape& shape, const GpuSpec& gpu, Visit visit) {
  for (const Tile& tile : TilesFor(shape, gpu)) {
    for (const int split_k : kSplits) {
      if (split_k > 1 && !MaySplit(shape, tile, split_k, gpu)) break;
      visit(Evaluate(shape, tile, split_k, gpu));
    }
  }
}

}  // namespace

GemmPlan BestGemmPlan(const GemmShape& shape, const GpuSpec& gpu) {
  GemmPlan best = Evaluate(shape, TilesFor(shape, gpu)[0], 1, gpu);
  ForEachPlan(shape, gpu, [&](const GemmPlan& plan) {
    if (plan.time.ns < best.time.ns) best = plan;
  });
  return best;
}

namespace {

// Tiles that the library has but does not run for this shape.
void AddPassedOver(const GemmShape& shape, const GpuSpec& gpu,
                   std::vector<GemmPlan>& plans) {
  const std::span<const Tile> used = TilesFor(shape, gpu);
  const double chosen_ns = BestGemmPlan(shape, gpu).time.ns;
  for (const Tile& tile : kVectorTiles) {
    const bool listed =
        std::any_of(used.begin(), used.end(), [&](const Tile& other) {
          return other.m == tile.m && other.n == tile.n;
        });
    if (listed) continue;
    GemmPlan plan = Evaluate(shape, tile, 1, gpu);
    plan.time.ns = std::max(plan.time.ns, kPassedOverRatio * chosen_ns);
    plans.push_back(plan);
  }
}

}  // namespace

std::vector<GemmPlan> GemmPlansOf(const GemmShape& shape, const GpuSpec& gpu) {
  std::vector<GemmPlan> plans;
  ForEachPlan(shape, gpu, [&](const GemmPlan& plan) { plans.push_back(plan); });
  if (!shape.rate.tensor) AddPassedOver(shape, gpu, plans);
  std::stable_sort(plans.begin(), plans.end(),
                   [](const GemmPlan& a, const GemmPlan& b) {
                     return a.time.ns < b.time.ns;
                   });
  return plans;
}

}  // namespace dltap::opmodel
