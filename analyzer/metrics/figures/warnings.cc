// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/warnings.h"

#include <algorithm>
#include <string>

#include "analyzer/metrics/base/ratio.h"
#include "analyzer/metrics/windows/step_choice.h"

namespace dltap::analyzer {
namespace {

constexpr double kMuchOutside = 0.10;       // of the GPU time
constexpr double kNoticeable = 0.01;        // of a time, or of all launches
constexpr double kManyUnjoined = 0.10;      // of all activities
constexpr double kMuchUnclassified = 0.10;  // of the GPU time
constexpr double kMuchUndirected = 0.10;    // of kernels' time
constexpr double kFewMissing = 0.10;        // of the steps of another rank
constexpr int64_t kLongRunNs = 1'000'000'000;
constexpr uint64_t kManyActivities = 1'000;
constexpr int64_t kLongCallNs = 10'000'000'000;  // no step waits so long

// Losses after which times and counts are too small. The others cost a name,
// a shape or a join, which the trust line counts. How many records a flush that
// came too late has cost, nobody knows: it has its own warning.
constexpr std::string_view kDropRecords[] = {
    "ring_full",       "thread_cap",    "ring_unavailable", "signal_handler",
    "max_mb",          "cupti_dropped", "zero_timestamp",   "bad_activity",
    "activity_buffer", "corrupt_block", "missing_slots",    "unmapped_time",
    "definition_lost", "ring_missing"};

uint64_t CountOf(const TrustFigures& trust, std::string_view cause) {
  const auto it = trust.lost.find(std::string(cause));
  return it == trust.lost.end() ? 0 : it->second;
}

class Finder {
 public:
  Finder(const Summary& summary, const Totals& totals, const StepFigures& steps,
         const Coverage& coverage, const TrustFigures& trust)
      : summary_(summary),
        totals_(totals),
        steps_(steps),
        coverage_(coverage),
        trust_(trust) {}

  std::vector<Warning> Run() {
    LookAtClock();
    LookAtReads();
    LookAtDelays();
    LookAtSteps();
    LookAtWhatIsMissing();
    LookAtJoins();
    LookAtDirections();
    std::stable_sort(
        found_.begin(), found_.end(),
        [](const Warning& a, const Warning& b) { return a.id < b.id; });
    return std::move(found_);
  }

 private:
  void IfShare(WarningId id, std::optional<double> share, double limit) {
    if (share.value_or(0) > limit) found_.push_back({id, share, std::nullopt});
  }
  void IfAny(WarningId id, uint64_t count) {
    if (count > 0) found_.push_back({id, std::nullopt, count});
  }

  template <typename Predicate>
  uint64_t CountProcesses(Predicate is_one) const {
    return static_cast<uint64_t>(std::count_if(
        summary_.processes.begin(), summary_.processes.end(), is_one));
  }

  uint64_t LeftOut(StepUse use) const {
    return steps_.left_out[static_cast<size_t>(use)];
  }

  void LookAtClock() {
    if (!summary_.has_fixed_costs()) return;
    found_.push_back({WarningId::kHostTimesFixed, std::nullopt, std::nullopt});
  }

  void LookAtReads() {
    IfAny(WarningId::kUncomputedReads, UncomputedReads(trust_));
  }

  void LookAtDelays() {
    if (!summary_.has_delays()) return;
    const auto& left_out = summary_.outside.left_out;
    const auto delayed = left_out.find(std::string(Name(StepUse::kDelayed)));
    std::optional<double> share;
    if (delayed != left_out.end()) {
      share = Ratio(static_cast<double>(delayed->second.gpu_ns),
                    static_cast<double>(coverage_.used_gpu_ns +
                                        coverage_.outside_gpu_ns));
    }
    found_.push_back({WarningId::kDelays, share, std::nullopt});
  }

  void LookAtSteps() {
    // Who names the steps knows what is left.
    if (!summary_.selection.steps) {
      IfShare(WarningId::kOutside, coverage_.left_out_share, kMuchOutside);
      LookAtTime();
    }
    if (steps_.stddev_ns && *steps_.stddev_ns > *steps_.mean_ns) {
      found_.push_back({WarningId::kStepSpread, std::nullopt, std::nullopt});
    }
    LookAtRanks();
    LookAtRunsWithoutSteps();
    LookAtIncomplete();
    IfAny(WarningId::kStepsNotObserved, LeftOut(StepUse::kNotObserved));
    const bool asked =
        summary_.selection.whole_run || summary_.selection.window;
    const bool is_long = totals_.longest_wall_ns >= kLongRunNs ||
                         totals_.all.kernels >= kManyActivities;
    if (!steps_.threads_at_once.empty() && !asked) {
      found_.push_back({WarningId::kThreadsAtOnce, std::nullopt,
                        steps_.threads_at_once.size()});
    } else if (steps_.found_by == StepsFoundBy::kNone && is_long && !asked) {
      found_.push_back({WarningId::kStepsNotFound, std::nullopt, std::nullopt});
    }
  }

  // What evaluations take is a matter of the host: little GPU work may hide it.
  void LookAtTime() {
    const double used_ns = steps_.wall_ns_of(StepUse::kUsed);
    const double aside_ns = steps_.wall_ns_of(StepUse::kEvaluation) +
                            steps_.wall_ns_of(StepUse::kInterrupted);
    if (used_ns == 0) return;
    IfShare(WarningId::kOutsideTime, Ratio(aside_ns, used_ns + aside_ns),
            kMuchOutside);
  }

  // Ranks that train together have equal loops, but for their ends.
  void LookAtRanks() {
    const uint64_t fewest = steps_.fewest_of_a_rank.value_or(0);
    const uint64_t most = steps_.most_of_a_rank;
    const auto missing = static_cast<double>(most - fewest);
    if (most - fewest < 2) return;
    if (missing <= kFewMissing * static_cast<double>(most)) return;
    found_.push_back({WarningId::kRanksDiffer, std::nullopt, std::nullopt});
  }

  // Sums over steps hold the whole run of a process that has none.
  void LookAtRunsWithoutSteps() {
    if (steps_.found_by == StepsFoundBy::kNone) return;
    int64_t wall_ns = 0;
    for (const DeviceSummary& device : summary_.devices) {
      if (device.steps.empty()) wall_ns += device.wall_ns;
    }
    IfMany(WarningId::kRunsWithoutSteps, steps_.processes_without,
           static_cast<uint64_t>(wall_ns),
           static_cast<uint64_t>(totals_.wall_ns), kNoticeable);
  }

  // One step of many is no loss; the line of the steps names it.
  void LookAtIncomplete() {
    const auto it =
        summary_.outside.left_out.find(std::string(Name(StepUse::kIncomplete)));
    if (it == summary_.outside.left_out.end()) return;
    const auto gpu_ns = static_cast<double>(it->second.gpu_ns);
    const auto share = Ratio(
        gpu_ns,
        static_cast<double>(coverage_.used_gpu_ns + coverage_.outside_gpu_ns));
    if (share.value_or(0) <= kMuchOutside) return;
    found_.push_back(
        {WarningId::kIncompleteStep, share, LeftOut(StepUse::kIncomplete)});
  }

  void LookAtWhatIsMissing() {
    IfShare(WarningId::kNotObserved,
            Ratio(totals_.in(DeviceState::kNotObserved),
                  static_cast<double>(totals_.wall_ns)),
            kNoticeable);
    IfAny(WarningId::kCuptiYielded, CountOf(trust_, "cupti_yielded"));
    uint64_t lost = 0;
    for (const std::string_view cause : kDropRecords) {
      lost += CountOf(trust_, cause);
    }
    IfAny(WarningId::kLostRecords, lost);
    IfAny(WarningId::kNotFlushed, CountProcesses([](const ProcessSummary& p) {
            const auto it = p.lost.find("flush_deadline");
            return it != p.lost.end() && it->second > 0;
          }));
    IfAny(WarningId::kWriteFailed, CountOf(trust_, "write_failed"));
    IfAny(WarningId::kOldestDropped, CountOf(trust_, "overwritten"));
    IfAny(WarningId::kProcessCut,
          CountProcesses([](const ProcessSummary& p) { return !p.complete; }));
    LookAtOpenCalls();
    uint64_t refused = 0;
    for (const DeviceMemory& device : summary_.memory.devices) {
      refused += device.failures.size();
    }
    IfAny(WarningId::kAllocationFailed, refused);
    if (trust_.level == "host") {
      found_.push_back({WarningId::kLevelHost, std::nullopt, std::nullopt});
    }
  }

  // A process that hangs, mostly.
  void LookAtOpenCalls() {
    uint64_t count = 0;
    const ProcessSummary* longest = nullptr;
    for (const ProcessSummary& process : summary_.processes) {
      if (!process.inside || process.inside->ns < kLongCallNs) continue;
      ++count;
      if (longest == nullptr || process.inside->ns > longest->inside->ns) {
        longest = &process;
      }
    }
    if (count == 0) return;
    found_.push_back({WarningId::kInsideCall, std::nullopt, count, longest});
  }

  void IfMany(WarningId id, uint64_t count, uint64_t part, uint64_t of,
              double limit) {
    const auto share =
        Ratio(static_cast<double>(part), static_cast<double>(of));
    if (share.value_or(0) > limit) found_.push_back({id, share, count});
  }

  void LookAtJoins() {
    uint64_t activities = 0;
    for (const ProcessSummary& process : summary_.processes) {
      activities += process.activities;
    }
    // What no call is known of may be the kernels of these launches.
    const uint64_t lonely =
        trust_.launches_without_kernel -
        std::min(trust_.launches_without_kernel, trust_.kernels_without_launch);
    IfMany(WarningId::kLaunchesWithoutKernel, lonely, lonely,
           lonely + activities, kNoticeable);
    IfMany(WarningId::kKernelsWithoutLaunch, trust_.kernels_without_launch,
           trust_.kernels_without_launch, activities, kManyUnjoined);
    if (trust_.classified_share) {
      IfShare(WarningId::kUnclassified, 1 - *trust_.classified_share,
              kMuchUnclassified);
    }
  }

  // Where some are known to be backward, the others are asked for, too.
  void LookAtDirections() {
    int64_t all_ns = 0;
    int64_t unknown_ns = 0;
    int64_t trains_ns = 0;
    for (size_t i = 0; i < totals_.classes.size(); ++i) {
      const auto layer_class = static_cast<LayerClass>(i);
      const ClassSummary& sums = totals_.classes[i];
      if (IsCopyOrMemset(layer_class) || layer_class == LayerClass::kComm) {
        continue;
      }
      all_ns += sums.gpu_ns;
      unknown_ns += sums.of(Direction::kNone);
      trains_ns += sums.backward_ns() + sums.of(Direction::kUpdate);
    }
    if (trains_ns == 0) return;
    IfShare(WarningId::kDirectionUnknown,
            Ratio(static_cast<double>(unknown_ns), static_cast<double>(all_ns)),
            kMuchUndirected);
  }

  const Summary& summary_;
  const Totals& totals_;
  const StepFigures& steps_;
  const Coverage& coverage_;
  const TrustFigures& trust_;
  std::vector<Warning> found_;
};

}  // namespace

std::string_view Name(WarningId id) {
  constexpr std::string_view kNames[static_cast<size_t>(WarningId::kCount)] = {
      "host_times_fixed",
      "uncomputed_reads",
      "delays",
      "outside",
      "outside_time",
      "step_spread",
      "steps_not_found",
      "threads_at_once",
      "ranks_differ",
      "runs_without_steps",
      "incomplete_step",
      "not_observed",
      "steps_not_observed",
      "cupti_yielded",
      "lost_records",
      "not_flushed",
      "write_failed",
      "oldest_dropped",
      "process_cut",
      "inside_call",
      "launches_without_kernel",
      "kernels_without_launch",
      "unclassified",
      "direction_unknown",
      "level_host",
      "allocation_failed"};
  return kNames[static_cast<size_t>(id)];
}

std::vector<Warning> FindWarnings(const Summary& summary, const Totals& totals,
                                  const StepFigures& steps,
                                  const Coverage& coverage,
                                  const TrustFigures& trust) {
  return Finder(summary, totals, steps, coverage, trust).Run();
}

}  // namespace dltap::analyzer
