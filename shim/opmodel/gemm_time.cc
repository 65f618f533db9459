// SPDX-License-Identifier: Apache-2.0
#include "shim/opmodel/gemm_time.h"

#include <algorithm>
#include <cmath>

#include "shim/opmodel/launch_floor.h"

namespace dltap::opmodel {
namespace {

// Tiles that the vendor's kernel names show (sgemm_128x64, s16816gemm_256x128),
// with the share of a big tile's rate that they reach: a tile of a x b loads
// a + b operands per a * b products, so small tiles wait for shared memory.
struct Tile {
  int m;
  int n;
  double efficiency;
};
constexpr Tile kTiles[] = {
    {256, 128, 1.00}, {128, 256, 1.00}, {128, 128, 1.00}, {128, 64, 0.95},
    {64, 128, 0.95},  {64, 64, 0.85},   {128, 32, 0.80},  {32, 128, 0.80},
    {64, 32, 0.65},   {32, 64, 0.65},   {32, 32, 0.50},
};
constexpr int kSplits[] = {1, 2, 3, 4, 6, 8, 12, 16, 32};

// Products that prologue and epilogue of a tile cost, in steps of k.
constexpr double kEdgeK = 24;
// Several concurrent blocks of one kernel share the L2: operand panels are read
// from memory once per wave.
double DramBytes(const GemmShape& shape, const Tile& tile, int split_k,
                 double blocks_per_wave, const GpuSpec& gpu) {
  const double rows = std::ceil(shape.m / tile.m);
  const double columns = std::ceil(shape.n / tile.n);
  const double a = shape.m * shape.k;
  const double b = shape.k * shape.n;
  const double panels =
      std::min(blocks_per_wave, rows * columns * split_k);
  // A wave covers a near-square patch of tiles; each patch reads its panels.
  const double patch_rows = std::min(rows, std::max(1.0, std::sqrt(panels)));
  const double patch_columns =
      std::min(columns, std::max(1.0, panels / patch_rows));
  double reads = a * std::ceil(columns / patch_columns) +
                 b * std::ceil(rows / patch_rows);
  if ((a + b) * shape.bytes_per_element < 0.7 * gpu.l2_bytes) reads = a + b;
  const double writes = shape.m * shape.n;
  const double partial = split_k > 1 ? 2.0 * split_k * writes * 4 : 0;
  return shape.batch *
         ((reads + writes) * shape.bytes_per_element + partial);
}

GemmPlan Evaluate(const GemmShape& shape, const Tile& tile, int split_k,
                  const GpuSpec& gpu) {
  const double k = std::ceil(shape.k / split_k);
  const double blocks = shape.batch * std::ceil(shape.m / tile.m) *
                        std::ceil(shape.n / tile.n) * split_k;
  const double waves = std::ceil(blocks / gpu.sms);
  const double sm_flops_per_s =
      shape.rate.sustained_flops_per_s / gpu.sms * tile.efficiency;
  const double tile_flops =
      2.0 * shape.real_ops_factor * tile.m * tile.n * (k + kEdgeK);
  const double compute_ns = waves * tile_flops / sm_flops_per_s * 1e9;

  const double bandwidth =
      gpu.bandwidth_bytes_per_s * gpu.sustained_bandwidth_ratio;
  const double memory_ns =
      DramBytes(shape, tile, split_k, gpu.sms, gpu) / bandwidth * 1e9;
  ModelledTime time = WithLaunchFloor(compute_ns, memory_ns);
  if (split_k > 1) time.ns += kEmptyKernelNs;  // the reduction kernel
  return {.tile_m = tile.m,
          .tile_n = tile.n,
          .split_k = split_k,
          .time = time,
          .workspace_bytes = split_k > 1 ? 4.0 * split_k * shape.batch *
                                               shape.m * shape.n
                                         : 0};
}

template <typename Visit>
void ForEachPlan(const GemmShape& shape, const GpuSpec& gpu, Visit visit) {
  for (const Tile& tile : kTiles) {
    for (const int split_k : kSplits) {
      if (split_k > 1 && shape.k / split_k < 64) break;
      visit(Evaluate(shape, tile, split_k, gpu));
    }
  }
}

}  // namespace

GemmShape GemmShapeOf(const Operation& op, const GpuSpec& gpu) {
  const bool complex =
      op.storage == DType::kC64 || op.storage == DType::kC128;
  return {.batch = static_cast<double>(std::max<int64_t>(1, op[Dim::kBatch])),
          .m = static_cast<double>(op[Dim::kM]),
          .n = static_cast<double>(op[Dim::kN]),
          .k = static_cast<double>(op[Dim::kK]),
          .bytes_per_element = BitsOf(op.storage) / 8.0,
          .rate = MathRateOf(op, gpu),
          .real_ops_factor = complex ? 4.0 : 1.0};
}

std::vector<GemmPlan> GemmPlansOf(const GemmShape& shape, const GpuSpec& gpu) {
  std::vector<GemmPlan> plans;
  ForEachPlan(shape, gpu,
              [&](const GemmPlan& plan) { plans.push_back(plan); });
  std::stable_sort(plans.begin(), plans.end(),
                   [](const GemmPlan& a, const GemmPlan& b) {
                     return a.time.ns < b.time.ns;
                   });
  return plans;
}

GemmPlan BestGemmPlan(const GemmShape& shape, const GpuSpec& gpu) {
  GemmPlan best = Evaluate(shape, kTiles[0], 1, gpu);
  ForEachPlan(shape, gpu, [&](const GemmPlan& plan) {
    if (plan.time.ns < best.time.ns) best = plan;
  });
  return best;
}

}  // namespace dltap::opmodel
