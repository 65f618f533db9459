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

}  // namespace

ModelledTime AttentionTime(const Operation& op, const Cost& cost,
                           const GpuSpec& gpu) {
  const bool backward = op.kind == OpKind::kAttentionBackward;
  // Forward parallelises over query tiles, backward over key tiles.
  const double rows =
      static_cast<double>(backward ? op[Dim::kSeqKv] : op[Dim::kSeqQ]);
  const double blocks = static_cast<double>(op[Dim::kBatch]) *
                        static_cast<double>(op[Dim::kHeads]) *
                        std::ceil(rows / kQueryTile);
  const double waves = blocks / gpu.sms;
  const double quantisation = std::ceil(waves) / waves;
  const double efficiency = backward ? kBackwardEfficiency : kForwardEfficiency;
  const double compute_ns =
      quantisation * cost.flops /
      (efficiency * MathRateOf(op, gpu).sustained_flops_per_s) * 1e9;
  return WithLaunchFloor(compute_ns, MemoryNs(cost.bytes, gpu));
}

}  // namespace dltap::opmodel
