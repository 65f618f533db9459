// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/warning_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "analyzer/reports/count_text.h"
#include "analyzer/reports/json_rows.h"
#include "analyzer/reports/memory_text.h"
#include "analyzer/reports/step_lines.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

std::string LevelText(const TrustFigures& trust) {
  const std::string why = trust.level_reason.empty()
                              ? ""
                              : " (" + Printable(trust.level_reason) + ")";
  return "only the host was recorded" + why + ": GPU times are unknown";
}

std::string DelaysText(const Warning& warning) {
  if (!warning.share) {
    return "delays were put before library calls, and no step is free of "
           "them: times are longer than those of an ordinary run";
  }
  return "delays were put before library calls: " + PercentText(warning.share) +
         " of the GPU time lies beside them and is not in these numbers";
}

std::string SpreadText(const StepFigures& steps) {
  return "the steps differ by " + Ms(steps.stddev_ns.value_or(0)) +
         " ms (standard deviation), more than their mean of " +
         Ms(steps.mean_ns.value_or(0)) + " ms; see --by step";
}

std::string TimeText(const Warning& warning, const StepFigures& steps) {
  std::vector<std::string> parts;
  for (const StepUse use : {StepUse::kEvaluation, StepUse::kInterrupted}) {
    const double ns = steps.wall_ns_of(use);
    if (ns == 0) continue;
    parts.push_back(Spoken(Name(use)) + " " + Ms(ns) + " ms" +
                    (steps.processes > 1 ? " a process" : ""));
  }
  return PercentText(warning.share) +
         " of the time of the steps is not in these numbers (" +
         Join(parts, ", ") + "); --window all counts everything";
}

std::string InsideText(const Warning& warning) {
  const ProcessSummary& process = *warning.process;
  const uint64_t others = warning.count.value_or(1) - 1;
  return ProcessName(process.key) +
         (process.key.rank ? ", rank " + std::to_string(*process.key.rank)
                           : "") +
         " had been inside " + Printable(process.inside->name) + " for " +
         Fixed(static_cast<double>(process.inside->ns) * kSecondsPerNs, 1) +
         " s when it was last seen" +
         (others == 0 ? "" : "; so had " + Count(others, "other process")) +
         "; dltap info names the threads";
}

bool IsTensorflow(const ProgramFigures& program) {
  return std::ranges::any_of(program.frameworks, [](const std::string& name) {
    return name.starts_with("tensorflow");
  });
}

std::string DirectionText(const Warning& warning,
                          const ProgramFigures& program) {
  return "of " + PercentText(warning.share) +
         " of the kernels' time nothing tells the direction: forward, "
         "backward and update are at least what they are said to be" +
         (IsTensorflow(program) ? "; a recording with dltap run --tf-names does"
                                : "");
}

// "the program looked at 14 numbers that nobody computed: train.py:40 (9), ..."
std::string ReadsText(const TrustFigures& trust, uint64_t n) {
  constexpr size_t kNamed = 3;
  std::vector<std::pair<uint64_t, std::string>> places;
  for (const auto& [place, count] : trust.uncomputed_reads) {
    places.emplace_back(count, place);
  }
  std::stable_sort(
      places.begin(), places.end(),
      [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text =
      "the program looked at " + Count(n, "number") + " that nobody computed";
  for (size_t i = 0; i < std::min(kNamed, places.size()); ++i) {
    text += (i == 0 ? ": " : ", ") + Printable(places[i].second) + " (" +
            std::to_string(places[i].first) + ")";
  }
  return text + (places.size() > kNamed ? ", ..." : "") +
         (trust.reads_are_plausible ? "; it got small random ones" : "") +
         "; what it decided by them may be otherwise on a GPU";
}

std::string LateFlushText(uint64_t n) {
  return "the last records of the GPU of " + Count(n, "process") +
         " did not come in time (2 s, at the end or when another profiler "
         "came): how many are missing is unknown, GPU times and counts are too "
         "small";
}

std::string CutText(uint64_t n, const TrustFigures& trust) {
  if (trust.lost.contains("import_cut")) {
    return "the file of " + Count(n, "process") +
           " ends early: events of any time may be missing, and times of the "
           "GPU be too small";
  }
  return Count(n, "process") + " without the end of " +
         (n == 1 ? "its" : "their") +
         " trace (killed, still running, or ended before it was written): what "
         "happened last may be missing";
}

}  // namespace

std::string WarningText(const Warning& warning, const Figures& figures) {
  const std::string share = PercentText(warning.share);
  const uint64_t n = warning.count.value_or(0);
  switch (warning.id) {
    case WarningId::kHostTimesFixed:
      return "host times are fixed costs (virtual clock): what the host did, "
             "CPU dependency and idle time for it are not measurements";
    case WarningId::kUncomputedReads: return ReadsText(figures.trust, n);
    case WarningId::kDelays: return DelaysText(warning);
    case WarningId::kOutside:
      return share + " of the GPU time is not in these numbers (" +
             Join(SpokenReasons(figures.coverage.left_out_reasons), ", ") +
             "); --window all counts everything";
    case WarningId::kOutsideTime: return TimeText(warning, figures.steps);
    case WarningId::kStepSpread: return SpreadText(figures.steps);
    case WarningId::kStepsNotFound:
      return "no loop was found: start-up and all else of the run is in these "
             "numbers; --window A..B takes a part";
    case WarningId::kThreadsAtOnce:
      return Count(n, "thread") +
             " of one process run loops of their own at once (" +
             absl::StrJoin(figures.steps.threads_at_once, ", ") +
             " steps): they lie in each other; all of the run is in these "
             "numbers";
    case WarningId::kRanksDiffer:
      return "the ranks have " +
             std::to_string(figures.steps.fewest_of_a_rank.value_or(0)) +
             " to " + Count(figures.steps.most_of_a_rank, "step") +
             ": a mean over them is not that of one loop; --rank takes one";
    case WarningId::kRunsWithoutSteps:
      return "no steps were found in " + Count(n, "process") + ": " +
             (n == 1 ? "its whole run (" : "their whole runs (") + share +
             " of the time) count in these sums, which are divided by the "
             "steps of the others; --rank or --process takes one";
    case WarningId::kIncompleteStep:
      return Count(n, "step") + " (" + share +
             " of the GPU time) left out: not all of it is in the trace";
    case WarningId::kStepsNotObserved:
      return Count(n, "step") +
             " left out: records of the GPU's work are missing there";
    case WarningId::kNotObserved:
      return share +
             " of the time was not observed; it counts neither as busy nor "
             "as idle";
    case WarningId::kCuptiYielded:
      return "the activity source was left to another profiler " +
             Count(n, "time") + ": no GPU times are known of those spans";
    case WarningId::kLostRecords:
      return Count(n, "record") +
             " lost (see trust): times and counts are too small";
    case WarningId::kNotFlushed: return LateFlushText(n);
    case WarningId::kWriteFailed:
      return MibText(static_cast<double>(n)) +
             " of the trace could not be written (a full disk, a quota, a "
             "limit): recording ended there";
    case WarningId::kOldestDropped:
      return "the oldest " + MibText(static_cast<double>(n)) +
             " of the trace gave way to the newest (DLTAP_MAX_MB): these "
             "numbers are about what was kept";
    case WarningId::kProcessCut: return CutText(n, figures.trust);
    case WarningId::kInsideCall: return InsideText(warning);
    case WarningId::kLaunchesWithoutKernel:
      return Count(n, "launch") + " (" + share +
             " of all) without a kernel record: GPU times are too small";
    case WarningId::kKernelsWithoutLaunch:
      return Count(n, "activity record") + " (" + share +
             " of all) without a launch: why the GPU was idle before them is "
             "unknown";
    case WarningId::kUnclassified:
      return share + " of the GPU time has no class";
    case WarningId::kDirectionUnknown:
      return DirectionText(warning, figures.program);
    case WarningId::kAllocationFailed: return FailureText(figures.memory);
    case WarningId::kLevelHost: return LevelText(figures.trust);
    case WarningId::kCount: break;
  }
  return "";
}

}  // namespace dltap::analyzer
