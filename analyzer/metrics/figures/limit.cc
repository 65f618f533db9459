// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/limit.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace dltap::analyzer {
namespace {

constexpr double kMatters = 0.10;      // share of the time worth a word
constexpr double kIdleMatters = 0.30;  // the same for all idle time together
constexpr double kMostOfGpu = 0.40;    // share of GPU time of a main class
constexpr double kMostIsGained = 0.5;  // of idle time, if nothing waited
constexpr double kFarFromPeak = 0.30;
constexpr double kSmallKernelNs = 10'000;

Fault FaultOf(IdleCause cause) {
  switch (cause) {
    case IdleCause::kWait: return Fault::kWaits;
    case IdleCause::kInput: return Fault::kLoader;
    case IdleCause::kLibrary:
    case IdleCause::kLaunch:
    case IdleCause::kFramework: return Fault::kLaunching;
    case IdleCause::kPreempted: return Fault::kPreemption;
    case IdleCause::kBlocked: return Fault::kSleep;
    case IdleCause::kDependency: return Fault::kDependency;
    case IdleCause::kLatency: return Fault::kLatency;
    default: return Fault::kUnknown;
  }
}

IdleCause LargestCauseOf(Fault fault, const IdleTimes& idle_ns) {
  size_t largest = kIdleCauses;
  for (size_t i = 0; i < kIdleCauses; ++i) {
    const auto cause = static_cast<IdleCause>(i);
    if (cause == IdleCause::kProfiler || FaultOf(cause) != fault) continue;
    if (largest == kIdleCauses || idle_ns[i] > idle_ns[largest]) largest = i;
  }
  return static_cast<IdleCause>(largest);
}

// Where more than half of it lies, if there is such a place.
void FindPlace(const Totals& totals, const std::vector<ClassRow>& rows,
               Limit& limit) {
  const auto fault = static_cast<size_t>(*limit.fault);
  if (2 * ByFault(totals.between_steps_ns)[fault] > limit.ns) {
    limit.between_steps = true;
  }
  for (const ClassRow& row : rows) {
    if (2 * ByFault(row.figures.sums.idle_ns)[fault] > limit.ns) {
      limit.charged_to = row.layer_class;
    }
  }
}

// Idle time behind a wait that had emptied the queue.
double DrainedByWaits(const Totals& totals) {
  const auto of = [&totals](DrainedBy by) {
    return static_cast<double>(totals.drained_ns[static_cast<size_t>(by)]);
  };
  return of(DrainedBy::kSync) + of(DrainedBy::kPageable);
}

// What the device itself waits in counts as far as the step waits for it:
// while the host is later still, no step gets shorter without it.
std::array<int64_t, kFaults> FaultsOfSteps(const LimitFacts& facts) {
  auto faults = ByFault(facts.totals.idle_ns);
  if (facts.path.total_ns() == 0) return faults;
  const auto on_path = ByFault(facts.path.idle_ns);
  for (const Fault fault : {Fault::kDependency, Fault::kLatency}) {
    const auto i = static_cast<size_t>(fault);
    faults[i] = std::min(faults[i], on_path[i]);
  }
  return faults;
}

// Without what is `cured`, if anything is.
std::optional<Limit> IdleLimit(const LimitFacts& facts,
                               std::optional<Fault> cured) {
  const Totals& totals = facts.totals;
  auto faults = FaultsOfSteps(facts);
  if (cured) faults[static_cast<size_t>(*cured)] = 0;
  const auto largest = std::max_element(faults.begin(), faults.end());
  const auto ns = static_cast<double>(*largest);
  const auto share = totals.ShareOfTime(ns);
  const auto of_all = totals.ShareOfTime(static_cast<double>(
      std::accumulate(faults.begin(), faults.end(), int64_t{0})));
  if (!share || !of_all) return std::nullopt;
  if (*of_all < kIdleMatters && *share < kMatters) return std::nullopt;
  const auto fault = static_cast<Fault>(largest - faults.begin());
  Limit limit{.kind = LimitKind::kIdle,
              .layer_class = std::nullopt,
              .fault = fault,
              .idle_cause = LargestCauseOf(fault, totals.idle_ns),
              .charged_to = std::nullopt,
              .share = *share,
              .ns = *largest,
              .step_ns = ns / totals.per_step()};
  FindPlace(totals, facts.rows, limit);
  // Most of this came after waits, and the host would do most of it while the
  // device works, did it not wait.
  if ((fault == Fault::kLaunching || fault == Fault::kUnknown) &&
      facts.wait_gain_ns.value_or(0) > kMostIsGained * limit.step_ns &&
      DrainedByWaits(totals) > kMostIsGained * ns) {
    limit.fault = Fault::kWaits;
  }
  const double mean_ns = static_cast<double>(totals.all.gpu_ns) /
                         static_cast<double>(totals.all.kernels);
  limit.small_kernels =
      limit.fault == Fault::kLaunching && mean_ns < kSmallKernelNs;
  return limit;
}

std::optional<Limit> CommunicationLimit(const Totals& totals,
                                        const RankRow* straggler) {
  const double ns = totals.in(DeviceState::kComm);
  const auto share = totals.ShareOfTime(ns);
  if (!share || *share < kMatters) return std::nullopt;
  Limit limit{.kind = LimitKind::kCommunication,
              .layer_class = LayerClass::kComm,
              .fault = std::nullopt,
              .idle_cause = std::nullopt,
              .charged_to = std::nullopt,
              .share = *share,
              .ns = static_cast<int64_t>(ns),
              .step_ns = ns / totals.per_step()};
  const auto waiting = static_cast<double>(totals.comm_exposed.waiting_ns);
  if (2 * waiting <= ns) return limit;
  limit.waiting_step_ns = waiting / totals.per_step();
  if (straggler != nullptr) {
    limit.straggler = straggler->key;
    limit.straggler_last_share = straggler->last_share;
  }
  return limit;
}

bool TooSmallToFillTheGpu(const ClassFigures& figures) {
  return figures.of_peak.value_or(1) < kFarFromPeak &&
         figures.mean_kernel_ns.value_or(kSmallKernelNs) < kSmallKernelNs;
}

std::optional<Limit> ClassLimit(const std::vector<ClassRow>& rows) {
  if (rows.empty()) return std::nullopt;
  const ClassRow& row = rows.front();
  const double share = row.figures.share.value_or(0);
  if (share < kMostOfGpu) return std::nullopt;
  return Limit{.kind = LimitKind::kClass,
               .layer_class = row.layer_class,
               .fault = std::nullopt,
               .idle_cause = std::nullopt,
               .charged_to = std::nullopt,
               .bound = row.bound,
               .small_kernels = TooSmallToFillTheGpu(row.figures),
               .share = share,
               .ns = row.figures.sums.gpu_ns,
               .step_ns = row.figures.step_mean.gpu_ns};
}

}  // namespace

std::string_view Name(LimitKind kind) {
  constexpr std::string_view kNames[] = {"idle", "communication", "class"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view Name(Fault fault) {
  constexpr std::string_view kNames[kFaults] = {
      "loader",     "waits",      "launching", "sleep",
      "preemption", "dependency", "latency",   "unknown"};
  return kNames[static_cast<size_t>(fault)];
}

std::array<int64_t, kFaults> ByFault(const IdleTimes& idle_ns) {
  std::array<int64_t, kFaults> sums{};
  for (size_t i = 0; i < kIdleCauses; ++i) {
    const auto cause = static_cast<IdleCause>(i);
    if (cause == IdleCause::kProfiler) continue;
    sums[static_cast<size_t>(FaultOf(cause))] += idle_ns[i];
  }
  return sums;
}

namespace {

// Idle time comes first, unless the ranks wait longer for one of them: its
// idle time is theirs.
std::optional<Limit> LimitWithout(std::optional<Fault> cured,
                                  const LimitFacts& facts) {
  const auto communication = CommunicationLimit(facts.totals, facts.straggler);
  const auto idle = IdleLimit(facts, cured);
  const bool is_late = communication && communication->waiting_step_ns &&
                       communication->straggler;
  if (idle && !(is_late && *communication->waiting_step_ns > idle->step_ns)) {
    return idle;
  }
  if (communication) return communication;
  return ClassLimit(facts.rows);
}

// The machine's doing as much as the program's.
bool MayBeOfTheMachine(const Limit& limit) {
  return limit.fault == Fault::kSleep || limit.fault == Fault::kPreemption;
}

}  // namespace

std::vector<Limit> FindLimits(const LimitFacts& facts) {
  if (facts.totals.observed_ns <= 0 || facts.totals.all.gpu_ns <= 0) return {};
  const auto first = LimitWithout(std::nullopt, facts);
  if (!first) return {};
  if (!MayBeOfTheMachine(*first)) return {*first};
  const auto behind = LimitWithout(first->fault, facts);
  if (!behind) return {*first};
  return {*first, *behind};
}

}  // namespace dltap::analyzer
