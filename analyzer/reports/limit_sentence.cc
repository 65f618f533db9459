// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "analyzer/metrics/efficiency.h"
#include "analyzer/reports/class_table.h"
#include "analyzer/reports/render.h"
#include "analyzer/reports/text_report.h"

namespace dltap::analyzer {
namespace {

constexpr double kMatters = 0.10;    // share of the wall time worth a word
constexpr double kMostOfGpu = 0.40;  // share of GPU time of a main class
constexpr double kFarFromPeak = 0.30;
constexpr double kSmallKernelNs = 10'000;

struct Walls {
  double wall = 0;
  double compute = 0;
  double comm = 0;
  double copy = 0;
};

Walls WallsOf(const Summary& summary) {
  Walls walls;
  for (const DeviceSummary& device : summary.devices) {
    const auto of = [&device](DeviceState state) {
      return static_cast<double>(device.state_ns[static_cast<size_t>(state)]);
    };
    walls.wall +=
        static_cast<double>(device.wall_ns) - of(DeviceState::kNotObserved);
    walls.compute += of(DeviceState::kCompute);
    walls.comm += of(DeviceState::kComm);
    walls.copy += of(DeviceState::kCopy);
  }
  return walls;
}

std::string Percent(double ratio) { return Fixed(100 * ratio, 1) + " %"; }

// The idle cause that takes most time, host and device.
IdleCause MainCause(const Summary& summary, double& ns) {
  size_t best = 0;
  ns = 0;
  for (size_t i = 0; i < kIdleCauses; ++i) {
    const double of_cause = static_cast<double>(summary.total.idle_ns[i] +
                                                summary.between_steps_ns[i]);
    if (of_cause > ns) {
      ns = of_cause;
      best = i;
    }
  }
  return static_cast<IdleCause>(best);
}

std::string WhyIdle(IdleCause cause) {
  switch (cause) {
    case IdleCause::kSync:
      return "while the host catches up after it had waited for the GPU "
             "(synchronizing calls, pageable copies)";
    case IdleCause::kInput:
      return "for its input, before the first copy of the step";
    case IdleCause::kLibrary:
      return "inside calls of cuDNN, cuBLAS or NCCL that prepare their work";
    case IdleCause::kLaunch:
      return "for kernel launches: the kernels are shorter than the time to "
             "launch one";
    case IdleCause::kFramework:
      return "for the host program between launches (framework and Python)";
    case IdleCause::kBlocked: return "for a host thread that is not on a CPU";
    case IdleCause::kUnknown: return "for the host between launches";
    case IdleCause::kProfiler: return "for this profiler itself";
    case IdleCause::kDependency:
      return "for other streams, events or host functions";
    default: return "between the submission of kernels and their start";
  }
}

size_t LargestClass(const Summary& summary) {
  return std::max_element(
             summary.classes.begin(), summary.classes.end(),
             [](const auto& a, const auto& b) { return a.gpu_ns < b.gpu_ns; }) -
         summary.classes.begin();
}

std::string GpuLimit(const Summary& summary) {
  const size_t largest = LargestClass(summary);
  const ClassSummary& s = summary.classes[largest];
  const auto layer_class = static_cast<LayerClass>(largest);
  const double share =
      static_cast<double>(s.gpu_ns) / static_cast<double>(summary.total.gpu_ns);
  if (share < kMostOfGpu) return "";
  std::string text = DisplayName(layer_class) + " takes " + Percent(share) +
                     " of the GPU's time";
  const Efficiency& e = s.efficiency;
  const double mean_ns =
      static_cast<double>(s.gpu_ns) / static_cast<double>(s.kernels);
  if (e.peak_flops > 0 && e.flops > 0) {
    text += ", at " + Percent(e.flops / e.peak_flops) + " of peak";
    if (e.flops / e.peak_flops < kFarFromPeak && mean_ns < kSmallKernelNs) {
      text += ": " + WithThousands(static_cast<int64_t>(s.kernels)) +
              " kernels of " + Fixed(mean_ns * 1e-3, 1) +
              " us each are too small to fill the GPU";
    }
  }
  switch (LimitOf(layer_class, s)) {
    case LimitedBy::kCompute: text += "; bound by compute"; break;
    case LimitedBy::kMemory: text += "; bound by memory bandwidth"; break;
    case LimitedBy::kLatency: text += "; bound by latency"; break;
    case LimitedBy::kUnknown: break;
  }
  return text + ".";
}

}  // namespace

std::string LimitSentence(const Summary& summary) {
  const Walls walls = WallsOf(summary);
  if (walls.wall <= 0 || summary.total.gpu_ns <= 0) return "";
  double idle_ns = 0;
  const IdleCause cause = MainCause(summary, idle_ns);
  const double idle = walls.wall - walls.compute - walls.comm - walls.copy;
  if (idle / walls.wall >= 0.3 || idle_ns / walls.wall >= kMatters) {
    const double per =
        std::max<double>(1, static_cast<double>(summary.windows));
    return "the GPU is busy " + Percent(walls.compute / walls.wall) +
           " of the time; it waits " + Fixed(idle_ns / per * 1e-6, 2) +
           " ms (" + Percent(idle_ns / walls.wall) + ") " + WhyIdle(cause) +
           ".";
  }
  if (walls.comm / walls.wall >= kMatters) {
    return "communication is exposed for " + Percent(walls.comm / walls.wall) +
           " of the step: kernels wait for other ranks.";
  }
  return GpuLimit(summary);
}

}  // namespace dltap::analyzer
