// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/api_records.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analyzer/exporters/export_input.h"

namespace dltap::analyzer {
namespace {

class Joiner {
 public:
  Joiner(const TraceModel& model, const Process& process, bool with_hidden)
      : model_(model), process_(process), with_hidden_(with_hidden) {
    if (with_hidden_) FindFirstWork();
    out_.of_call.reserve(process.calls.size());
    for (size_t i = 0; i < process.calls.size(); ++i) {
      const Call& call = process.calls[i];
      out_.of_call.push_back(call.correlation);
      if (call.depth != 0 || call.begin_ticks == 0) continue;
      outermost_.try_emplace({call.thread.value(), call.begin_ticks}, i);
    }
  }

  ApiRecords Run() {
    for (const LaunchRecord& record : process_.launches) Add(record);
    return std::move(out_);
  }

 private:
  void FindFirstWork() {
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      if (process_.activities[i].correlation == 0) continue;
      first_work_.try_emplace(process_.activities[i].correlation, i);
    }
  }

  void Add(const LaunchRecord& record) {
    if (record.correlation == 0) return;
    if (const std::optional<size_t> call = CallOf(record)) {
      out_.of_call[*call] = record.correlation;
      return;
    }
    if (!with_hidden_) return;
    // What it called is known by its work alone.
    const auto work = first_work_.find(record.correlation);
    if (work == first_work_.end()) return;
    out_.hidden.push_back({record.begin_ns, record.end_ns, record.correlation,
                           record.thread, work->second});
  }

  // The innermost CUDA call around the record that has no work yet.
  std::optional<size_t> CallOf(const LaunchRecord& record) const {
    std::optional<size_t> found;
    const size_t first = OutermostOf(record);
    for (size_t i = first; i < process_.calls.size(); ++i) {
      const Call& call = process_.calls[i];
      const bool is_inside = i > first;
      if (is_inside && (call.depth == 0 || call.thread != record.thread ||
                        call.begin_ns > record.begin_ns)) {
        break;
      }
      if (is_inside && call.end_ns < record.end_ns) continue;
      if (IsFree(i)) found = i;
    }
    return found;
  }

  bool IsFree(size_t call) const {
    return out_.of_call[call] == 0 &&
           !ApiCategory(model_.entry_points[process_.calls[call].entry.value()])
                .empty();
  }

  // Where the outermost call around the record stands; the end: there is none.
  size_t OutermostOf(const LaunchRecord& record) const {
    if (record.external != 0) {
      const auto it = outermost_.find({record.thread.value(), record.external});
      return it == outermost_.end() ? process_.calls.size() : it->second;
    }
    const auto after =
        std::upper_bound(process_.calls.begin(), process_.calls.end(),
                         std::pair(record.thread, record.begin_ns),
                         [](const auto& at, const Call& call) {
                           return at < std::pair(call.thread, call.begin_ns);
                         });
    auto i = static_cast<size_t>(after - process_.calls.begin());
    while (i > 0 && process_.calls[i - 1].thread == record.thread) {
      if (process_.calls[--i].depth == 0) return i;
    }
    return process_.calls.size();
  }

  const TraceModel& model_;
  const Process& process_;
  const bool with_hidden_;
  absl::flat_hash_map<uint64_t, size_t> first_work_;  // by correlation
  absl::flat_hash_map<std::pair<size_t, uint64_t>, size_t> outermost_;
  ApiRecords out_;
};

}  // namespace

std::string_view SubmitterOf(const Activity& activity) {
  if (activity.graph_node != 0) return "cudaGraphLaunch";
  switch (activity.kind) {
    case ActivityKind::kKernel: return "cudaLaunchKernel";
    case ActivityKind::kMemset: return "cudaMemsetAsync";
    case ActivityKind::kMemcpy: break;
  }
  return "cudaMemcpyAsync";
}

ApiRecords JoinApiRecords(const TraceModel& model, const Process& process) {
  return Joiner(model, process, true).Run();
}

std::vector<uint64_t> CorrelationsOfCalls(const TraceModel& model,
                                          const Process& process) {
  return Joiner(model, process, false).Run().of_call;
}

}  // namespace dltap::analyzer
