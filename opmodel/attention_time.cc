// SPDX-License-Identifier: Apache-2.0
#include "opmodel/attention_time.h"

#include <algorithm>
#include <cmath>

#include "opmodel/math_rate.h"
#include "opmodel/modelled_time.h"
#include "opmodel/streaming_time.h"

namespace dltap::opmodel {
namespace {

// Share of the sustained matrix rate that fused kernels reach, since softmax
// runs between the two products. FlashAttention-2 (Dao 2023) reports 50 to 73 %
// of the A100's peak forward and up to 63 % backward; GEMMs reach 80 to 90 %.
constexpr double kForwardEfficiency = 0.75;
constexpr double kBackwardEfficiency = 0.60;
constexpr double kQueryTile = 128;  // rows of Q that one thread block owns

// Forward kernels on tensor cores from sm_80 on, whose blocks multiply, take
// the softmax and multiply again, tile by tile. Up to sm_89 (FlashAttention 2,
// TensorRT-LLM's) these take turns; later kernels (FlashAttention 3) have one
// tile's softmax behind another one's products.
//
// CUDA C++ Programming Guide, "Arithmetic Instructions", results in a clock and
// an SM: 16 exponentials, 64 comparisons and conversions. Of each score: its
// scaling and its sum in the FP32 lanes, a maximum, half a conversion (of
// pairs).
constexpr double kKeyTile = 64;
constexpr double kInstructionTile = 16;  // rows of one product, at least
constexpr double kHeadTile = 32;         // elements of a row in shared memory
constexpr double kExponentialsPerClock = 16;
constexpr double kComparisonsPerClock = 64;
constexpr double kFp32PerScore = 2;
constexpr double kComparisonsPerScore = 1.5;
// Fitted to aiconfigurator's tables of A100 and L40S (scripts/score_gemm.py, 70
// % of the shapes): a block's first loads and last stores, the depth of the
// whole kernel, and the part of its longest block that no other one hides.
constexpr double kBlockCycles = 1000;
constexpr double kKernelCycles = 8000;
constexpr double kTailShare = 0.5;

struct Shape {
  double heads;  // of all sequences
  double queries;
  double keys;
  double depth;  // elements of a key and of a value
  bool causal;
};

double RoundUp(double size, double step) {
  return std::ceil(size / step) * step;
}

Shape ShapeOf(const Operation& op) {
  const auto value = [&](Dim dim) { return static_cast<double>(op[dim]); };
  const double dim = value(Dim::kHeadDim);
  const double dim_v = op[Dim::kHeadDimV] > 0 ? value(Dim::kHeadDimV) : dim;
  return {.heads = value(Dim::kBatch) * value(Dim::kHeads),
          .queries = value(Dim::kSeqQ),
          .keys = value(Dim::kSeqKv),
          .depth = RoundUp(dim, kHeadTile) + RoundUp(dim_v, kHeadTile),
          .causal = op[Dim::kCausal] != 0};
}

// Clocks of an SM for one score, its two products and its softmax.
double ClocksPerScore(const Shape& shape, const MathRate& rate,
                      const GpuSpec& gpu) {
  const double flops_per_clock =
      rate.sustained_flops_per_s / (gpu.sms * gpu.boost_mhz * 1e6);
  const double products = 2 * shape.depth / flops_per_clock;
  const double softmax = 1 / kExponentialsPerClock +
                         kFp32PerScore / gpu.fp32_lanes_per_sm +
                         kComparisonsPerScore / kComparisonsPerClock;
  return gpu.compute_major == 8
             ? products + softmax
             : std::max(products / kForwardEfficiency, softmax);
}

// Tiles of a head that hold scores: above the diagonal there are none.
double TilesOfHead(const Shape& shape, double query_tile, double key_tile) {
  const double rows = std::ceil(shape.queries / query_tile);
  const double columns = std::ceil(shape.keys / key_tile);
  if (!shape.causal || rows <= 1) return rows * columns;
  const double before =
      std::max(0.0, shape.keys - shape.queries) / key_tile;  // the diagonal
  return std::min(rows * columns, rows * before + query_tile / key_tile * rows *
                                                      (rows + 1) / 2);
}

double TiledForwardNs(const Shape& shape, const MathRate& rate,
                      const GpuSpec& gpu) {
  const double clocks_per_ns = gpu.boost_mhz / 1e3;
  const double query_tile =
      std::min(kQueryTile, RoundUp(shape.queries, kInstructionTile));
  const double key_tile =
      std::min(kKeyTile, RoundUp(shape.keys, kInstructionTile));
  const double rows = std::ceil(shape.queries / query_tile);
  const double tile_ns =
      query_tile * key_tile * ClocksPerScore(shape, rate, gpu) / clocks_per_ns;
  const double all_ns = shape.heads *
                        (TilesOfHead(shape, query_tile, key_tile) * tile_ns +
                         rows * kBlockCycles / clocks_per_ns) /
                        gpu.sms;
  // The keys of a few queries are split over the SMs.
  const double longest_ns =
      rows > 1 ? std::ceil(shape.keys / key_tile) * tile_ns : 0;
  return all_ns + kTailShare * longest_ns;
}

ModelledTime TiledForwardTime(const Operation& op, const Cost& cost,
                              const MathRate& rate, const GpuSpec& gpu) {
  const Shape shape = ShapeOf(op);
  // A cache of earlier tokens was not.
  const bool warm = cost.bytes < gpu.l2_bytes && shape.queries >= shape.keys;
  ModelledTime time = WithLaunchFloor(
      TiledForwardNs(shape, rate, gpu),
      warm ? cost.bytes / L2BytesPerS(gpu) * 1e9
           : MemoryNs(cost.bytes, gpu));
  time.ns += kKernelCycles / gpu.boost_mhz * 1e3;
  return time;
}

}  // namespace

ModelledTime AttentionTime(const Operation& op, const Cost& cost,
                           const GpuSpec& gpu) {
  const bool backward = op.kind == OpKind::kAttentionBackward;
  const MathRate rate = MathRateOf(op, gpu);
  if (!backward && rate.tensor && gpu.compute_major >= 8) {
    return TiledForwardTime(op, cost, rate, gpu);
  }
  // Forward parallelises over query tiles, backward over key tiles.
  const double rows =
      static_cast<double>(backward ? op[Dim::kSeqKv] : op[Dim::kSeqQ]);
  const double blocks = static_cast<double>(op[Dim::kBatch]) *
                        static_cast<double>(op[Dim::kHeads]) *
                        std::ceil(rows / kQueryTile);
  const double waves = blocks / gpu.sms;
  const double quantisation = std::ceil(waves) / waves;
  const double efficiency = backward ? kBackwardEfficiency : kForwardEfficiency;
  const double compute_ns = quantisation * cost.flops /
                            (efficiency * rate.sustained_flops_per_s) * 1e9;
  return WithLaunchFloor(compute_ns, MemoryNs(cost.bytes, gpu));
}

}  // namespace dltap::opmodel
