// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/trust.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "analyzer/metrics/base/ratio.h"

namespace dltap::analyzer {
namespace {

// The process whose level speaks for all: one that has a reason for it, else
// one with GPU work, else any.
const ProcessSummary* LevelOf(const Summary& summary) {
  const ProcessSummary* best = nullptr;
  const auto rank = [](const ProcessSummary& process) {
    return process.level_reason.empty() ? process.has_gpu_work : 2;
  };
  for (const ProcessSummary& process : summary.processes) {
    if (best == nullptr || rank(process) > rank(*best)) best = &process;
  }
  return best;
}

// Stays at the largest number that a report can print.
void AddCount(uint64_t& sum, uint64_t count) {
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  sum = count > kMost - std::min(sum, kMost) ? kMost : sum + count;
}

// How often another profiler came, not what was missed meanwhile.
constexpr std::string_view kYields = "cupti_yielded";

void AddProcess(const ProcessSummary& process, TrustFigures& trust) {
  for (const auto& [cause, count] : process.lost) {
    AddCount(trust.lost[cause], count);
    if (!IsLossOfBytes(cause) && cause != kYields) {
      AddCount(trust.lost_records, count);
    }
  }
  for (const auto& [place, count] : process.uncomputed_reads) {
    AddCount(trust.uncomputed_reads[place], count);
  }
  trust.reads_are_plausible |= process.reads_are_plausible;
  trust.launches_without_kernel += process.launches_without_kernel;
  trust.kernels_without_launch += process.kernels_without_launch;
  trust.composite_ns += process.composite_ns;
  trust.clock_residual_ns =
      std::max(trust.clock_residual_ns, process.clock_residual_ns);
  trust.recorded_launches += process.recorded_launches;
  if (process.cut) {
    const auto missing_ns = [](const CutTail& cut) {
      return cut.last_ns - cut.gpu_ns;
    };
    ++trust.cut_processes;
    if (!trust.cut || missing_ns(*process.cut) > missing_ns(*trust.cut)) {
      trust.cut = process.cut;
    }
  }
  int64_t overhead_ns = 0;
  if (process.overhead_ns &&
      !__builtin_add_overflow(trust.overhead_ns.value_or(0),
                              *process.overhead_ns, &overhead_ns)) {
    trust.overhead_ns = overhead_ns;
  }
}

// What is known of some processes only is not known of the program.
std::optional<int64_t> SourceOverhead(const Summary& summary) {
  std::optional<int64_t> out;
  for (const ProcessSummary& process : summary.processes) {
    if (process.recorded_launches == 0) continue;
    if (!process.source_overhead_ns) return std::nullopt;
    out = out.value_or(0) + *process.source_overhead_ns;
  }
  return out;
}

}  // namespace

uint64_t UncomputedReads(const TrustFigures& trust) {
  uint64_t sum = 0;
  for (const auto& [place, count] : trust.uncomputed_reads) {
    AddCount(sum, count);
  }
  return sum;
}

bool IsLossOfBytes(std::string_view cause) {
  return cause == "overwritten" || cause == "write_failed";
}

TrustFigures TrustOf(const Summary& summary, const Totals& totals) {
  TrustFigures trust;
  for (const ProcessSummary& process : summary.processes) {
    AddProcess(process, trust);
  }
  trust.source_overhead_ns = SourceOverhead(summary);
  if (const ProcessSummary* process = LevelOf(summary)) {
    trust.level = process->level;
    trust.level_reason = process->level_reason;
  }
  trust.not_observed_ns =
      totals.state_ns[static_cast<size_t>(DeviceState::kNotObserved)];
  const auto gpu_ns = static_cast<double>(totals.all.gpu_ns);
  for (size_t i = 0; i < kClassFromCount; ++i) {
    trust.class_from_share[i] =
        Ratio(static_cast<double>(totals.all.class_from_ns[i]), gpu_ns);
  }
  const auto none = static_cast<size_t>(ClassFrom::kNone);
  trust.classified_share = Ratio(
      static_cast<double>(totals.all.gpu_ns - totals.all.class_from_ns[none]),
      gpu_ns);
  trust.flops_known_share = Ratio(totals.all.efficiency.known_ns, gpu_ns);
  trust.bytes_known_share = Ratio(totals.all.efficiency.bytes_ns, gpu_ns);
  return trust;
}

}  // namespace dltap::analyzer
