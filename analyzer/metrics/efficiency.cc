// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/efficiency.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

constexpr double kNearPeak = 0.25;          // of a peak: it is the limit
constexpr double kFarFromPeaks = 0.10;      // of both: too little work at once
constexpr double kShortActivityNs = 5'000;  // a launch costs about as much

// Classes whose kernels move much more than they compute.
bool MovesMemory(LayerClass layer_class) {
  switch (layer_class) {
    case LayerClass::kConv:
    case LayerClass::kRnn:
    case LayerClass::kAttention:
    case LayerClass::kGemm:
    case LayerClass::kMoe:
    case LayerClass::kComm:
    case LayerClass::kOther:
    case LayerClass::kUnattributed: return false;
    default: return true;
  }
}

}  // namespace

Efficiency EfficiencyOf(const ProcessAttribution& attribution,
                        const Attributed& attributed, int64_t duration_ns,
                        const opmodel::GpuSpec* gpu) {
  Efficiency result;
  if (!attributed.work.known()) return result;
  const Work& work = attribution.works[attributed.work.value()];
  if (!work.cost || work.kernel_ns <= 0) return result;
  const double share =
      static_cast<double>(duration_ns) / static_cast<double>(work.kernel_ns);
  result.flops = share * work.cost->flops;
  result.bytes = share * work.cost->bytes;
  result.known_ns = static_cast<double>(duration_ns);
  if (gpu == nullptr) return result;
  const double seconds = static_cast<double>(duration_ns) * 1e-9;
  result.peak_flops = seconds * opmodel::PeakFlopsPerS(*gpu, work.leading.math);
  result.peak_bytes = seconds * gpu->bandwidth_bytes_per_s;
  return result;
}

LimitedBy LimitOf(LayerClass layer_class, const ClassSummary& summary) {
  if (summary.kernels == 0) return LimitedBy::kUnknown;
  const Efficiency& e = summary.efficiency;
  const double of_flops = e.peak_flops > 0 ? e.flops / e.peak_flops : 0;
  const double of_bytes = e.peak_bytes > 0 ? e.bytes / e.peak_bytes : 0;
  if (std::max(of_flops, of_bytes) >= kNearPeak) {
    return of_flops >= of_bytes ? LimitedBy::kCompute : LimitedBy::kMemory;
  }
  const double mean_ns = static_cast<double>(summary.gpu_ns) /
                         static_cast<double>(summary.kernels);
  if (mean_ns < kShortActivityNs) return LimitedBy::kLatency;
  if (MovesMemory(layer_class)) return LimitedBy::kMemory;
  if (e.peak_flops == 0) return LimitedBy::kUnknown;
  if (std::max(of_flops, of_bytes) < kFarFromPeaks) return LimitedBy::kLatency;
  return of_flops >= of_bytes ? LimitedBy::kCompute : LimitedBy::kMemory;
}

}  // namespace dltap::analyzer
