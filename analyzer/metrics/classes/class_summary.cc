// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/classes/class_summary.h"

#include <algorithm>

#include "analyzer/metrics/base/add_arrays.h"
#include "analyzer/metrics/base/ratio.h"

namespace dltap::analyzer {
namespace {

constexpr double kNearPeak = 0.25;          // of a peak: it is the limit
constexpr double kFarFromPeaks = 0.10;      // of both: too little work at once
constexpr double kShortActivityNs = 5'000;  // a launch costs about as much
constexpr double kFillsGpuNs = 20'000;      // longer ones are not for launches

// Classes whose kernels move much more than they compute. Without a default:
// the compiler asks it of each new class.
bool MovesMemory(LayerClass layer_class) {
  switch (layer_class) {
    case LayerClass::kConv:
    case LayerClass::kRnn:
    case LayerClass::kAttention:
    case LayerClass::kGemm:
    case LayerClass::kMoe:
    case LayerClass::kComm:
    case LayerClass::kOther:
    case LayerClass::kUnattributed:
    case LayerClass::kCount: break;
    case LayerClass::kNorm:
    case LayerClass::kPool:
    case LayerClass::kActivation:
    case LayerClass::kSoftmax:
    case LayerClass::kLoss:
    case LayerClass::kEmbedding:
    case LayerClass::kElementwise:
    case LayerClass::kReduction:
    case LayerClass::kDropout:
    case LayerClass::kOptimizer:
    case LayerClass::kLayout:
    case LayerClass::kCopyH2d:
    case LayerClass::kCopyD2h:
    case LayerClass::kCopyD2d:
    case LayerClass::kCopyP2p:
    case LayerClass::kMemset: return true;
  }
  return false;
}

bool CrossesLink(LayerClass layer_class) {
  return layer_class == LayerClass::kCopyH2d ||
         layer_class == LayerClass::kCopyD2h ||
         layer_class == LayerClass::kCopyP2p;
}

}  // namespace

int64_t ClassSummary::of(Direction direction) const {
  return direction_ns[static_cast<size_t>(direction)];
}

int64_t ClassSummary::backward_ns() const {
  int64_t ns = 0;
  for (size_t d = 0; d < kDirectionCount; ++d) {
    if (IsBackward(static_cast<Direction>(d))) ns += direction_ns[d];
  }
  return ns;
}

std::optional<double> ClassSummary::cpu_dependency() const {
  const auto host = static_cast<double>(HostNs(idle_ns));
  return Ratio(host, host + static_cast<double>(busy_ns));
}

void ClassSummary::Add(const ClassSummary& other) {
  gpu_ns += other.gpu_ns;
  busy_ns += other.busy_ns;
  exclusive_ns += other.exclusive_ns;
  exposed_ns += other.exposed_ns;
  calls += other.calls;
  kernels += other.kernels;
  AddTo(idle_ns, other.idle_ns);
  AddTo(drained_ns, other.drained_ns);
  for (const auto& [name, ns] : other.unknown_in_ns) unknown_in_ns[name] += ns;
  AddTo(direction_ns, other.direction_ns);
  AddTo(joined_by_ns, other.joined_by_ns);
  AddTo(class_from_ns, other.class_from_ns);
  efficiency.Add(other.efficiency);
}

std::string_view Name(LimitedBy bound) {
  constexpr std::string_view kNames[] = {"unknown", "compute", "memory",
                                         "latency", "interconnect"};
  return kNames[static_cast<size_t>(bound)];
}

LimitedBy LimitOf(LayerClass layer_class, const ClassSummary& summary) {
  if (summary.kernels == 0) return LimitedBy::kUnknown;
  if (layer_class == LayerClass::kComm) return LimitedBy::kUnknown;
  const Efficiency& e = summary.efficiency;
  const double of_flops = e.of_peak().value_or(0);
  const double of_bytes = e.of_bandwidth().value_or(0);
  const double nearest = std::max(of_flops, of_bytes);
  const LimitedBy roof =
      of_flops >= of_bytes ? LimitedBy::kCompute : LimitedBy::kMemory;
  if (nearest >= kNearPeak) return roof;
  const double mean_ns = static_cast<double>(summary.gpu_ns) /
                         static_cast<double>(summary.kernels);
  if (mean_ns < kShortActivityNs) return LimitedBy::kLatency;
  if (CrossesLink(layer_class)) return LimitedBy::kInterconnect;
  const bool moves_memory = MovesMemory(layer_class);
  if (moves_memory && !e.of_bandwidth()) return LimitedBy::kMemory;
  if (!moves_memory && e.peak_flops == 0) return LimitedBy::kUnknown;
  if (nearest >= kFarFromPeaks) return roof;
  return mean_ns < kFillsGpuNs ? LimitedBy::kLatency : LimitedBy::kUnknown;
}

}  // namespace dltap::analyzer
