// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/limit.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

constexpr double kMatters = 0.10;      // share of the time worth a word
constexpr double kIdleMatters = 0.30;  // the same for all idle time together
constexpr double kMostOfGpu = 0.40;    // share of GPU time of a main class
constexpr double kFarFromPeak = 0.30;
constexpr double kSmallKernelNs = 10'000;

// What lies behind the host's part of the idle time, other than input.
void AddReason(const Totals& totals, Limit& limit) {
  const IdleCause cause = *limit.idle_cause;
  if (!IsHostCause(cause) || cause == IdleCause::kInput) return;
  const auto drained_ns = [&totals](DrainedBy by) {
    return totals.drained_ns[static_cast<size_t>(by)];
  };
  const int64_t after_waits =
      drained_ns(DrainedBy::kSync) + drained_ns(DrainedBy::kPageable);
  limit.after_waits = after_waits > drained_ns(DrainedBy::kNone);
  const double mean_ns = static_cast<double>(totals.all.gpu_ns) /
                         static_cast<double>(totals.all.kernels);
  limit.small_kernels = !limit.after_waits && mean_ns < kSmallKernelNs;
}

// Our own cost is no limit of the program: it is out of the observed time.
std::optional<Limit> IdleLimit(const Totals& totals) {
  IdleTimes idle = totals.idle_ns;
  idle[static_cast<size_t>(IdleCause::kProfiler)] = 0;
  const auto largest = std::max_element(idle.begin(), idle.end());
  const auto ns = static_cast<double>(*largest);
  const auto share = totals.ShareOfTime(ns);
  const auto of_all = totals.ShareOfTime(static_cast<double>(SumOf(idle)));
  if (!share || !of_all) return std::nullopt;
  if (*of_all < kIdleMatters && *share < kMatters) return std::nullopt;
  Limit limit{.kind = LimitKind::kIdle,
              .layer_class = std::nullopt,
              .idle_cause = static_cast<IdleCause>(largest - idle.begin()),
              .share = *share,
              .ns = *largest,
              .step_ns = ns / totals.per_step()};
  AddReason(totals, limit);
  return limit;
}

std::optional<Limit> CommunicationLimit(const Totals& totals) {
  const double ns = totals.in(DeviceState::kComm);
  const auto share = totals.ShareOfTime(ns);
  if (!share || *share < kMatters) return std::nullopt;
  return Limit{.kind = LimitKind::kCommunication,
               .layer_class = LayerClass::kComm,
               .idle_cause = std::nullopt,
               .share = *share,
               .ns = static_cast<int64_t>(ns),
               .step_ns = ns / totals.per_step()};
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
               .idle_cause = std::nullopt,
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

std::vector<Limit> FindLimits(const Totals& totals,
                              const std::vector<ClassRow>& rows) {
  if (totals.observed_ns <= 0 || totals.all.gpu_ns <= 0) return {};
  if (const auto limit = IdleLimit(totals)) return {*limit};
  if (const auto limit = CommunicationLimit(totals)) return {*limit};
  if (const auto limit = ClassLimit(rows)) return {*limit};
  return {};
}

}  // namespace dltap::analyzer
