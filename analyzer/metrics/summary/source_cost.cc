// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/summary/source_cost.h"

#include <algorithm>
#include <map>
#include <vector>

#include "analyzer/metrics/base/median.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kFewestCalls = 50;      // on either side, by entry point
constexpr double kMostUnmeasured = 0.1;  // of the submitting calls

// The collector switches a little after it writes the window.
constexpr int64_t kSwitchNs = 20'000'000;

// Calls of one entry point that submit work.
struct Durations {
  std::vector<int64_t> on;
  std::vector<int64_t> off;
  uint64_t recorded = 0;  // in all of the run, but where recording was off
};

const DelayWindow* WindowAt(const Process& process, int64_t at_ns) {
  const auto after = std::upper_bound(
      process.delays.begin(), process.delays.end(), at_ns,
      [](int64_t at, const DelayWindow& w) { return at < w.begin_ns; });
  if (after == process.delays.begin()) return nullptr;
  return at_ns < (after - 1)->end_ns ? &*(after - 1) : nullptr;
}

std::vector<bool> SubmittingEntries(const TraceModel& model,
                                    const Process& process,
                                    const ProcessAttribution& attribution) {
  std::vector<bool> out(model.entry_points.size());
  for (const Attributed& attributed : attribution.activities) {
    if (!attributed.submitted_by.known()) continue;
    const CallId outermost =
        attribution.outermost[attributed.submitted_by.value()];
    if (!outermost.known()) continue;
    const size_t entry = process.calls[outermost.value()].entry.value();
    const specs::EntryPointInfo* info = model.entry_points[entry].info;
    out[entry] = info == nullptr || !info->blocking;
  }
  return out;
}

void AddCall(const Process& process, const Call& call, Durations& durations) {
  const DelayWindow* window = WindowAt(process, call.begin_ns);
  const bool off = window != nullptr && window->source_off;
  if (!off) ++durations.recorded;
  if (window == nullptr || window->delay_ns != 0) return;
  if (call.begin_ns < window->begin_ns + kSwitchNs) return;
  (off ? durations.off : durations.on).push_back(call.end_ns - call.begin_ns);
}

}  // namespace

std::optional<int64_t> SourceCostOf(const TraceModel& model,
                                    const Process& process,
                                    const ProcessAttribution& attribution) {
  if (std::none_of(process.delays.begin(), process.delays.end(),
                   [](const DelayWindow& w) { return w.source_off; })) {
    return std::nullopt;
  }
  const std::vector<bool> submits =
      SubmittingEntries(model, process, attribution);
  std::map<size_t, Durations> by_entry;
  for (const Call& call : process.calls) {
    if (call.depth != 0 || call.failed || call.capturing) continue;
    if (!submits[call.entry.value()]) continue;
    AddCall(process, call, by_entry[call.entry.value()]);
  }
  int64_t cost_ns = 0;
  uint64_t calls = 0;
  uint64_t unmeasured = 0;
  for (auto& [entry, durations] : by_entry) {
    calls += durations.recorded;
    if (std::min(durations.on.size(), durations.off.size()) < kFewestCalls) {
      unmeasured += durations.recorded;
      continue;
    }
    cost_ns += static_cast<int64_t>(durations.recorded) *
               (Median(durations.on) - Median(durations.off));
  }
  if (calls == 0 || static_cast<double>(unmeasured) >
                        kMostUnmeasured * static_cast<double>(calls)) {
    return std::nullopt;
  }
  if (cost_ns < 0) return std::nullopt;  // the noise was larger
  return cost_ns;
}

}  // namespace dltap::analyzer
