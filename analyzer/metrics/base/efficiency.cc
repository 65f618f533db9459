// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/base/efficiency.h"

#include "analyzer/attribution/calls/op_kinds.h"
#include "analyzer/metrics/base/ratio.h"

namespace dltap::analyzer {
namespace {

// The work of one activity, or of its part in a window.
struct Share {
  std::optional<double> flops;
  std::optional<double> executed_flops;
  std::optional<double> bytes;
  double bytes_least = 0;
  opmodel::DType math = opmodel::DType::kUnknown;
  bool multiplies = false;  // matrices, as tensor cores do
};

// A copy inside the device reads and writes.
Share ShareOfCopy(const Activity& activity, double part) {
  const bool inside = activity.kind == ActivityKind::kMemcpy &&
                      activity.copy == CopyKind::kDeviceToDevice;
  const double bytes =
      part * static_cast<double>(activity.bytes) * (inside ? 2 : 1);
  return {0, 0, bytes, bytes};
}

bool Multiplies(opmodel::OpKind kind) {
  const LayerClass layer_class = ClassOf(kind);
  return layer_class == LayerClass::kConv || layer_class == LayerClass::kRnn ||
         layer_class == LayerClass::kAttention ||
         layer_class == LayerClass::kGemm;
}

Share ShareOfWork(const WorkKind& work, double part) {
  Share out;
  out.flops = part * work.cost->flops;
  out.bytes = part * work.cost->bytes;
  out.bytes_least = *out.bytes;
  out.math = work.leading.math;
  out.multiplies = Multiplies(work.leading.kind);
  if (work.executed_flops) out.executed_flops = part * *work.executed_flops;
  return out;
}

Share ShareOfLaunch(const LaunchWork& work, double part) {
  Share out;
  if (work.flops) out.flops = out.executed_flops = part * *work.flops;
  if (work.bytes) out.bytes = part * *work.bytes;
  out.bytes_least = part * work.bytes_least;
  out.math = work.math;
  return out;
}

// Part of the whole that `inside_ns` of it are.
double Part(int64_t inside_ns, int64_t whole_ns) {
  return static_cast<double>(inside_ns) / static_cast<double>(whole_ns);
}

bool IsFp64(opmodel::DType type) {
  return type == opmodel::DType::kF64 || type == opmodel::DType::kC128;
}

// Its call tells; else its name does.
bool ComputesInFp64(const ProcessAttribution& attribution,
                    const Activity& activity, const Attributed& attributed) {
  if (activity.kind != ActivityKind::kKernel) return false;
  if (attributed.work.known()) {
    const opmodel::DType math =
        attribution.KindOf(attributed.work).leading.math;
    if (math != opmodel::DType::kUnknown) return IsFp64(math);
  }
  return attribution.fp64_kernels.contains(activity.name);
}

Share ShareOf(const ProcessAttribution& attribution, const Activity& activity,
              const Attributed& attributed, int64_t inside_ns) {
  const int64_t duration_ns = activity.end_ns - activity.begin_ns;
  if (activity.kind != ActivityKind::kKernel) {
    if (activity.bytes == 0 || duration_ns <= 0) return {};
    return ShareOfCopy(activity, Part(inside_ns, duration_ns));
  }
  for (const WorkId id : {attributed.work, attributed.traffic}) {
    if (!id.known()) continue;
    const Work& work = attribution.works[id.value()];
    const WorkKind& kind = attribution.KindOf(work);
    if (kind.cost && work.kernel_ns > 0) {
      return ShareOfWork(kind, Part(inside_ns, work.kernel_ns));
    }
  }
  const auto it =
      attribution.launch_works.find(LaunchKey{activity.name, activity.shape});
  if (it == attribution.launch_works.end() || !it->second) return {};
  if (duration_ns <= 0) return {};
  return ShareOfLaunch(*it->second, Part(inside_ns, duration_ns));
}

// Work on single elements has no tensor cores; narrow floats compute as FP32.
double PeakFlopsPerS(const opmodel::GpuSpec& gpu, const Share& share) {
  if (share.multiplies) return opmodel::PeakFlopsPerS(gpu, share.math);
  return share.math == opmodel::DType::kF64 ? gpu.fp64_flops_per_s
                                            : gpu.fp32_flops_per_s;
}

bool IsOverLink(const Activity& activity) {
  return activity.kind == ActivityKind::kMemcpy &&
         activity.copy != CopyKind::kDeviceToDevice;
}

}  // namespace

void Efficiency::Add(const Efficiency& other) {
  flops += other.flops;
  known_ns += other.known_ns;
  fp64_ns += other.fp64_ns;
  bytes += other.bytes;
  bytes_least += other.bytes_least;
  bytes_ns += other.bytes_ns;
  executed_flops += other.executed_flops;
  executed_ns += other.executed_ns;
  local_bytes += other.local_bytes;
  local_peak_bytes += other.local_peak_bytes;
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

std::optional<double> Efficiency::bandwidth_gbs() const {
  if (bytes <= 0) return std::nullopt;
  return Ratio(bytes, bytes_ns);
}

std::optional<double> Efficiency::of_peak() const {
  if (rated_flops <= 0) return std::nullopt;
  return Ratio(rated_flops, peak_flops);
}

std::optional<double> Efficiency::of_bandwidth() const {
  if (local_bytes <= 0) return std::nullopt;
  return Ratio(local_bytes, local_peak_bytes);
}

Efficiency EfficiencyOf(const ProcessAttribution& attribution,
                        const Activity& activity, const Attributed& attributed,
                        int64_t inside_ns, const opmodel::GpuSpec* gpu) {
  Efficiency result;
  if (attributed.layer_class == LayerClass::kComm) return result;
  const Share share = ShareOf(attribution, activity, attributed, inside_ns);
  const auto ns = static_cast<double>(inside_ns);
  if (ComputesInFp64(attribution, activity, attributed)) result.fp64_ns = ns;
  const double seconds = ns * 1e-9;
  if (share.flops) {
    result.flops = *share.flops;
    result.known_ns = ns;
  }
  if (share.executed_flops) {
    result.executed_flops = *share.executed_flops;
    result.executed_ns = ns;
  }
  if (!share.bytes) return result;
  result.bytes = *share.bytes;
  result.bytes_least = share.bytes_least;
  result.bytes_ns = ns;
  if (gpu == nullptr || IsOverLink(activity)) return result;
  result.local_bytes = result.bytes;
  result.local_peak_bytes = seconds * gpu->bandwidth_bytes_per_s;
  if (!share.executed_flops || *share.executed_flops <= 0) return result;
  result.rated_ns = ns;
  result.rated_flops = *share.executed_flops;
  result.rated_bytes = result.bytes;
  result.peak_flops = seconds * PeakFlopsPerS(*gpu, share);
  result.peak_bytes = result.local_peak_bytes;
  return result;
}

}  // namespace dltap::analyzer
