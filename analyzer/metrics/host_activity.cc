// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/host_activity.h"

#include <algorithm>

#include "shim/specs/entry_point.h"

namespace dltap::analyzer {

HostActivity::HostActivity(const TraceModel& model, const Process& process,
                           const ProcessAttribution& attribution)
    : model_(model),
      process_(process),
      waits_(process.threads.size()),
      begins_(process.threads.size()),
      cpu_(process.threads.size()) {
  for (size_t i = 0; i < process.calls.size(); ++i) {
    const Call& call = process.calls[i];
    if (IsBlocking(call)) waits_[call.thread.value()].push_back(i);
    if (attribution.outermost[i] != CallId(i)) continue;
    outermost_by_begin_.push_back(i);
    begins_[call.thread.value()].push_back(call.begin_ns);
  }
  std::stable_sort(outermost_by_begin_.begin(), outermost_by_begin_.end(),
                   [&](size_t a, size_t b) {
                     return process.calls[a].begin_ns <
                            process.calls[b].begin_ns;
                   });
  for (const CpuSample& sample : process.cpu_samples) {
    cpu_[sample.thread.value()].push_back({sample.at_ns, sample.cpu_time_ns});
  }
}

ThreadId HostActivity::LastCallerBefore(int64_t at_ns) const {
  const auto after =
      std::lower_bound(outermost_by_begin_.begin(), outermost_by_begin_.end(),
                       at_ns, [this](size_t call, int64_t at) {
                         return process_.calls[call].begin_ns < at;
                       });
  if (after == outermost_by_begin_.begin()) return ThreadId();
  return process_.calls[*(after - 1)].thread;
}

bool HostActivity::WaitedIn(ThreadId thread, Interval span,
                            int64_t before_ns) const {
  if (!thread.known()) return false;
  const std::vector<size_t>& waits = waits_[thread.value()];
  const int64_t until = std::min(span.end_ns, before_ns);
  auto it = std::lower_bound(waits.begin(), waits.end(), until,
                             [this](size_t call, int64_t at) {
                               return process_.calls[call].begin_ns < at;
                             });
  // Waits of one thread don't overlap, but may nest: look at the last few.
  for (int looked = 0; it != waits.begin() && looked < 8; ++looked) {
    const Call& call = process_.calls[*--it];
    if (call.end_ns > span.begin_ns) return true;
  }
  return false;
}

std::optional<double> HostActivity::OnCpuShare(Interval span) const {
  if (!process_.has_cpu_samples) return std::nullopt;
  double best = 0;
  bool covered = false;
  for (const std::vector<CpuPoint>& points : cpu_) {
    const auto after = std::upper_bound(
        points.begin(), points.end(), span.begin_ns,
        [](int64_t at, const CpuPoint& point) { return at < point.at_ns; });
    if (after == points.begin() || after == points.end()) continue;
    const CpuPoint& from = *(after - 1);
    auto to = after;
    while (to + 1 != points.end() && to->at_ns < span.end_ns) ++to;
    if (to->at_ns <= from.at_ns) continue;
    covered = true;
    best = std::max(best, static_cast<double>(to->cpu_ns - from.cpu_ns) /
                              static_cast<double>(to->at_ns - from.at_ns));
  }
  if (!covered) return std::nullopt;
  return std::clamp(best, 0.0, 1.0);
}

int64_t HostActivity::CallsIn(ThreadId thread, Interval span) const {
  if (!thread.known()) return 0;
  const std::vector<int64_t>& begins = begins_[thread.value()];
  return std::lower_bound(begins.begin(), begins.end(), span.end_ns) -
         std::lower_bound(begins.begin(), begins.end(), span.begin_ns);
}

specs::Kind HostActivity::KindOf(const Call& call) const {
  const auto* info = model_.entry_points[call.entry.value()].info;
  return info == nullptr ? specs::Kind::kOther : info->kind;
}

bool HostActivity::IsBlocking(const Call& call) const {
  const auto* info = model_.entry_points[call.entry.value()].info;
  return info != nullptr && info->blocking;
}

bool HostActivity::IsLibraryCall(const Call& call) const {
  const auto* info = model_.entry_points[call.entry.value()].info;
  return info != nullptr && info->library != specs::Library::kCuda &&
         info->library != specs::Library::kCudart;
}

}  // namespace dltap::analyzer
