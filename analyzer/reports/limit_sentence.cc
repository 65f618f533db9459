// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/limit_sentence.h"

#include <algorithm>
#include <string>

#include "analyzer/reports/class_table.h"
#include "analyzer/reports/render.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

std::string WhyIdle(IdleCause cause) {
  switch (cause) {
    case IdleCause::kWait: return "until calls that wait for it have returned";
    case IdleCause::kInput:
      return "for its input, before the first copy of the step";
    case IdleCause::kLibrary:
      return "inside calls of cuDNN, cuBLAS or NCCL that prepare their work";
    case IdleCause::kLaunch: return "for kernel launches";
    case IdleCause::kFramework:
      return "for the host program between launches (framework and Python)";
    case IdleCause::kPreempted:
      return "for a host thread that is ready to run but has no CPU";
    case IdleCause::kBlocked: return "for a host thread that sleeps";
    case IdleCause::kUnknown: return "for the host between launches";
    case IdleCause::kDependency:
      return "for other streams, events or host functions";
    default: return "between the submission of kernels and their start";
  }
}

// What a reader can act on; empty where only the cause is known.
std::string BehindIdle(const Figures& figures, const Limit& limit) {
  const bool has_steps = figures.steps.found_by != StepsFoundBy::kNone;
  const std::string per_step = has_steps ? " a step" : "";
  if (limit.after_waits && !figures.program.drained_by.empty()) {
    const DrainRow& most = figures.program.drained_by.front();
    return "; " + Printable(most.name) + " empties its queue " +
           Fixed(most.calls_per_step, 1) + " times" + per_step;
  }
  const ClassFigures& total = figures.program.total;
  if (!limit.small_kernels || !total.mean_kernel_ns) return "";
  return "; kernels and copies of " +
         Fixed(*total.mean_kernel_ns * kUsPerNs, 1) + " us each (" +
         Fixed(total.step_mean.kernels, 0) + per_step +
         ") are too short to hide that";
}

std::string IdleSentence(const Figures& figures, const Limit& limit) {
  return "the GPU is busy " + PercentText(figures.program.utilization) +
         " of the time; it waits " + Fixed(limit.step_ns * kMsPerNs, 2) +
         " ms (" + PercentText(limit.share) + ") " +
         WhyIdle(*limit.idle_cause) + BehindIdle(figures, limit) + ".";
}

std::string BoundClause(LimitedBy bound) {
  switch (bound) {
    case LimitedBy::kCompute: return "; bound by compute";
    case LimitedBy::kMemory: return "; bound by memory bandwidth";
    case LimitedBy::kInterconnect:
      return "; it is bound by the link that it crosses";
    case LimitedBy::kLatency: return "; bound by latency";
    case LimitedBy::kUnknown: break;
  }
  return "";
}

std::string ClassSentence(const Figures& figures, const Limit& limit) {
  const auto row = std::find_if(figures.classes.begin(), figures.classes.end(),
                                [&limit](const ClassRow& r) {
                                  return r.layer_class == limit.layer_class;
                                });
  const ClassFigures& of_class = row->figures;
  std::string text = DisplayName(row->layer_class) + " takes " +
                     PercentText(limit.share) + " of the GPU's time";
  if (of_class.of_peak) {
    text += ", at " + PercentText(of_class.of_peak) + " of peak";
  }
  if (limit.small_kernels) {
    text += ": " + WithThousands(static_cast<int64_t>(of_class.sums.kernels)) +
            " kernels of " + Fixed(*of_class.mean_kernel_ns * kUsPerNs, 1) +
            " us each are too small to fill the GPU";
  }
  return text + BoundClause(limit.bound) + ".";
}

}  // namespace

std::string LimitSentence(const Figures& figures) {
  if (figures.limits.empty()) return "";
  const Limit& limit = figures.limits.front();
  switch (limit.kind) {
    case LimitKind::kIdle: return IdleSentence(figures, limit);
    case LimitKind::kCommunication:
      return "communication is exposed for " + PercentText(limit.share) +
             " of the step: nothing else computes meanwhile.";
    case LimitKind::kClass: return ClassSentence(figures, limit);
  }
  return "";
}

}  // namespace dltap::analyzer
