// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/limit_sentence.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/reports/class_table.h"
#include "analyzer/reports/count_text.h"
#include "analyzer/reports/json_rows.h"
#include "analyzer/reports/render.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

// Share of the samples above which a thread makes its input itself.
constexpr double kMakesItItself = 0.5;

// Who makes the input, as the samples tell.
// Without steps the numbers are of the whole run.
std::string AStep(const Figures& figures, std::string_view of_a_run) {
  return figures.steps.found_by != StepsFoundBy::kNone ? " a step"
                                                       : std::string(of_a_run);
}

std::string LoaderClause(const ProgramFigures& program) {
  const auto& runs = program.input_runnable_share;
  if (!runs) return "for its input";
  if (*runs >= kMakesItItself) {
    return "for its input, which the launching thread makes itself (at work "
           "in " +
           PercentText(runs) + " of the samples)";
  }
  return "for its input; the launching thread mostly sleeps until it comes "
         "(at work in " +
         PercentText(runs) + " of the samples)";
}

const SignFigures& Signs(const Figures& figures, Sign sign) {
  return figures.program.signs[static_cast<size_t>(sign)];
}

// Whether the waits are for values that the program looks at.
bool ReadsOften(const Figures& figures) {
  constexpr double kOften = 4;        // a step
  constexpr double kSomeShare = 0.1;  // of the time
  return Signs(figures, Sign::kSmallRead).count >= kOften &&
         Signs(figures, Sign::kReadIdle).share.value_or(0) >= kSomeShare;
}

std::string WaitsClause(const Figures& figures, IdleCause cause) {
  std::string calls = "calls";
  if (ReadsOften(figures)) {
    return "for new work: " + Fixed(Signs(figures, Sign::kSmallRead).count, 0) +
           " synchronizing reads of at most " +
           std::to_string(kSmallReadBytes) + " bytes" +
           AStep(figures, " in all") + " empty the launch queue";
  }
  if (!figures.program.drained_by.empty()) {
    const DrainRow& most = figures.program.drained_by.front();
    calls = Printable(most.name) + " (" + Fixed(most.calls_per_step, 1) +
            AStep(figures, " times") + ")";
  }
  if (cause == IdleCause::kWait) {
    return "inside calls that wait for the GPU, mostly " + calls;
  }
  return "for new work after " + calls + " had emptied the queue";
}

std::string LaunchingClause(IdleCause cause) {
  switch (cause) {
    case IdleCause::kLibrary:
      return "inside calls of cuDNN, cuBLAS or NCCL that prepare their work";
    case IdleCause::kLaunch: return "for kernel launches";
    default:
      return "for the host program between launches (framework and Python)";
  }
}

std::string WhyIdle(const Figures& figures, const Limit& limit) {
  switch (*limit.fault) {
    case Fault::kLoader: return LoaderClause(figures.program);
    case Fault::kWaits: return WaitsClause(figures, *limit.idle_cause);
    case Fault::kLaunching: return LaunchingClause(*limit.idle_cause);
    case Fault::kPreemption:
      return "for a host thread that is ready to run but has no CPU";
    case Fault::kSleep:
      return "for a host thread that sleeps, outside of waits for the GPU";
    case Fault::kDependency:
      return "for other streams, events or host functions";
    case Fault::kLatency:
      return "between the submission of kernels and their start";
    default:
      return "for the host between launches (no samples tell work from sleep)";
  }
}

// Where most of it lies. Waits and input say so themselves.
std::string Place(const Limit& limit) {
  if (limit.fault == Fault::kLoader || limit.fault == Fault::kWaits) return "";
  if (limit.between_steps) return ", mostly between steps";
  if (!limit.charged_to) return "";
  return ", mostly before " + DisplayName(*limit.charged_to);
}

// Whether the host's work or the waits between it and the GPU's bound a step.
std::string WorkClause(const Figures& figures, const Limit& limit) {
  const ProgramFigures& program = figures.program;
  const bool of_host = limit.fault == Fault::kLaunching ||
                       limit.fault == Fault::kUnknown ||
                       limit.fault == Fault::kWaits;
  if (!of_host || limit.idle_cause == IdleCause::kWait) return "";
  if (!program.host_work_ns || !program.device_work_ns) return "";
  return ": the host works " +
         std::string(program.host_work_is_bound ? "at most " : "") +
         Fixed(*program.host_work_ns * kMsPerNs, 2) + " ms" +
         AStep(figures, "") + ", the GPU " +
         Fixed(*program.device_work_ns * kMsPerNs, 2);
}

// What the queue could have held, had the host been quicker.
std::string ShortKernels(const Figures& figures, const Limit& limit) {
  const ClassFigures& total = figures.program.total;
  if (!limit.small_kernels || !total.mean_kernel_ns) return "";
  return "; kernels and copies of " +
         Fixed(*total.mean_kernel_ns * kUsPerNs, 1) + " us each (" +
         Fixed(total.step_mean.kernels, 0) + AStep(figures, "") +
         ") are too short to hide that";
}

// Code that is loaded in step after step: what the host does is compile.
std::string LoadsClause(const Figures& figures, const Limit& limit) {
  const bool may_compile =
      limit.fault == Fault::kLaunching || limit.fault == Fault::kSleep ||
      limit.fault == Fault::kPreemption || limit.fault == Fault::kUnknown;
  if (!may_compile || !figures.steps.loads_modules_often) return "";
  return "; modules were loaded in " +
         std::to_string(figures.steps.with_module_loads) + " of " +
         std::to_string(figures.steps.used) + " steps";
}

// Not of the GPU's own doing.
bool IsOfHost(const Limit& limit) {
  return limit.fault != Fault::kDependency && limit.fault != Fault::kLatency;
}

std::string IdleSentence(const Figures& figures, const Limit& limit) {
  const bool is_fixed = figures.program.has_fixed_costs && IsOfHost(limit);
  return "the GPU is busy " + PercentText(figures.program.utilization) +
         " of the time; it waits " + (is_fixed ? "(by fixed costs) " : "") +
         Fixed(limit.step_ns * kMsPerNs, 2) + " ms (" +
         PercentText(limit.share) + ") " + WhyIdle(figures, limit) +
         Place(limit) + WorkClause(figures, limit) +
         ShortKernels(figures, limit) + LoadsClause(figures, limit) + ".";
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

// What crosses the link, where that is what the GPU does.
std::string UploadClause(const Figures& figures, const Limit& limit) {
  if (limit.layer_class != LayerClass::kCopyH2d) return "";
  const bool pageable = Signs(figures, Sign::kPageableUpload).bytes >
                        Signs(figures, Sign::kUpload).bytes -
                            Signs(figures, Sign::kPageableUpload).bytes;
  const SignFigures& upload =
      Signs(figures, pageable ? Sign::kPageableUpload : Sign::kUpload);
  if (!upload.gbs) return "";
  return ": " + MibText(upload.bytes) + AStep(figures, " in all") +
         (pageable ? " from pageable memory" : "") + " at " +
         Fixed(*upload.gbs, 1) + " GB/s, exposed for " +
         PercentText(upload.share) + " of the time";
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
  return text + UploadClause(figures, limit) + BoundClause(limit.bound) + ".";
}

// What the late rank does longer than the others.
std::string WhyLate(const Limit& limit, bool has_steps) {
  if (!limit.late_step_ns) return "";
  constexpr std::string_view kDoes[kFaults] = {
      "waits for its input",     "waits for its GPU",
      "prepares launches",       "sleeps",
      "is ready but has no CPU", "waits for other streams",
      "starts its kernels",      "is between launches"};
  const std::string_view does =
      limit.late_fault ? kDoes[static_cast<size_t>(*limit.late_fault)]
                       : "computes";
  return "; it " + std::string(does) + " " + Ms(*limit.late_step_ns) +
         (has_steps ? " ms a step" : " ms") + " longer than the others";
}

std::string CommunicationSentence(const Figures& figures, const Limit& limit) {
  if (!limit.waiting_step_ns) {
    return "communication is exposed for " + PercentText(limit.share) +
           " of the step: nothing else computes meanwhile.";
  }
  const bool has_steps = figures.steps.found_by != StepsFoundBy::kNone;
  const std::string ms = Ms(*limit.waiting_step_ns) + " ms";
  const std::string text = has_steps
                               ? "a rank waits " + ms + " a step on average"
                               : "the ranks wait " + ms + " in all";
  if (!limit.straggler) return text + " for the last of them, no single one.";
  const RankKey& key = *limit.straggler;
  const std::string name =
      key.process.rank
          ? "rank " + std::to_string(*key.process.rank)
          : ProcessName(key.process) + " gpu" + std::to_string(key.device);
  return text + ", mostly for " + name + ", which comes last in " +
         PercentText(limit.straggler_last_share) + " of its collectives" +
         WhyLate(limit, has_steps) + ".";
}

std::string NothingStandsOut(const Figures& figures) {
  constexpr size_t kMostNamed = 3;
  std::vector<std::string> named;
  for (const ClassRow& row : figures.classes) {
    if (named.size() == kMostNamed || !row.figures.share) break;
    named.push_back(DisplayName(row.layer_class) + " " +
                    PercentText(row.figures.share));
  }
  if (named.empty()) return "";
  return "no kind of work stands out: " + Join(named, ", ") +
         " of the GPU's time.";
}

}  // namespace

std::string LimitSentence(const Figures& figures, const Limit& limit) {
  switch (limit.kind) {
    case LimitKind::kIdle: return IdleSentence(figures, limit);
    case LimitKind::kCommunication:
      return CommunicationSentence(figures, limit);
    case LimitKind::kClass: return ClassSentence(figures, limit);
  }
  return "";
}

std::string LimitSentence(const Figures& figures) {
  if (figures.limits.empty()) return NothingStandsOut(figures);
  return LimitSentence(figures, figures.limits.front());
}

}  // namespace dltap::analyzer
