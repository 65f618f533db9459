// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/efficiency.h"

#include "analyzer/metrics/ratio.h"

namespace dltap::analyzer {

void Efficiency::Add(const Efficiency& other) {
  flops += other.flops;
  bytes += other.bytes;
  known_ns += other.known_ns;
  executed_flops += other.executed_flops;
  executed_ns += other.executed_ns;
  rated_ns += other.rated_ns;
  rated_flops += other.rated_flops;
  rated_bytes += other.rated_bytes;
  peak_flops += other.peak_flops;
  peak_bytes += other.peak_bytes;
}

std::optional<double> Efficiency::tflops() const {
  if (flops <= 0) return std::nullopt;
  return Ratio(flops * 1e-3, known_ns);
}

std::optional<double> Efficiency::executed_tflops() const {
  if (executed_flops <= 0) return std::nullopt;
  return Ratio(executed_flops * 1e-3, executed_ns);
}

std::optional<double> Efficiency::of_peak() const {
  if (rated_flops <= 0) return std::nullopt;
  return Ratio(rated_flops, peak_flops);
}

std::optional<double> Efficiency::of_peak_bytes() const {
  return Ratio(rated_bytes, peak_bytes);
}

Efficiency EfficiencyOf(const ProcessAttribution& attribution,
                        const Attributed& attributed, int64_t duration_ns,
                        const opmodel::GpuSpec* gpu) {
  Efficiency result;
  if (!attributed.work.known()) return result;
  if (attributed.layer_class == LayerClass::kComm) return result;
  const Work& work = attribution.works[attributed.work.value()];
  if (!work.cost || work.kernel_ns <= 0) return result;
  const double share =
      static_cast<double>(duration_ns) / static_cast<double>(work.kernel_ns);
  result.flops = share * work.cost->flops;
  result.bytes = share * work.cost->bytes;
  result.known_ns = static_cast<double>(duration_ns);
  if (!work.executed_flops) return result;
  result.executed_flops = share * *work.executed_flops;
  result.executed_ns = result.known_ns;
  if (gpu == nullptr) return result;
  const double seconds = static_cast<double>(duration_ns) * 1e-9;
  result.rated_ns = result.known_ns;
  result.rated_flops = result.executed_flops;
  result.rated_bytes = result.bytes;
  result.peak_flops = seconds * opmodel::PeakFlopsPerS(*gpu, work.leading.math);
  result.peak_bytes = seconds * gpu->bandwidth_bytes_per_s;
  return result;
}

}  // namespace dltap::analyzer
