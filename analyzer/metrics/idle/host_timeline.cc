// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/host_timeline.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "analyzer/model/nearly_sorted.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

// Queries that follow each other within this time, and nothing else between
// them, are a loop that waits.
constexpr int64_t kSpinPauseNs = 1'000'000;

size_t RootOf(std::vector<size_t>& parents, size_t at) {
  while (parents[at] != at) at = parents[at] = parents[parents[at]];
  return at;
}

// The calls of one thread as spans and waits.
class ThreadSpans {
 public:
  ThreadSpans(const TraceModel& model, const Process& process,
              const ProcessAttribution& attribution,
              const absl::flat_hash_set<size_t>& pageable,
              HostTimeline& timeline)
      : model_(model),
        process_(process),
        attribution_(attribution),
        pageable_(pageable),
        timeline_(timeline) {}

  std::vector<HostSpan> Run(size_t first, size_t last) {
    spans_.reserve(last - first);
    for (size_t i = first; i < last;) {
      size_t next = i + 1;
      while (next < last && attribution_.outermost[next] == CallId(i)) ++next;
      AddOutermost(i, next);
      i = next;
    }
    return std::move(spans_);
  }

 private:
  const specs::EntryPointInfo* InfoOf(size_t call) const {
    return model_.entry_points[process_.calls[call].entry.value()].info;
  }

  bool IsBlocking(size_t call) const {
    const auto* info = InfoOf(call);
    return info != nullptr && info->blocking;
  }

  // [i, next) is an outermost call and those inside it.
  void AddOutermost(size_t i, size_t next) {
    const Call& call = process_.calls[i];
    timeline_.call_begins.push_back(call.begin_ns);
    const auto* info = InfoOf(i);
    if (info != nullptr && info->kind == specs::Kind::kQuery) {
      AddQuery(i);
      return;
    }
    last_query_end_ns_ = kNoQuery;
    // Whoever loads code compiled it: that is the framework's work.
    if (info != nullptr && info->kind == specs::Kind::kModuleLoad) return;
    if (IsBlocking(i)) {
      AddWait(i, false);
      Add({call.begin_ns, call.end_ns}, HostState::kWait);
      return;
    }
    if (!pageable_.empty() && pageable_.contains(i)) AddWait(i, true);
    const bool library = info != nullptr &&
                         info->library != specs::Library::kCuda &&
                         info->library != specs::Library::kCudart;
    const HostState state = library ? HostState::kLibrary : HostState::kLaunch;
    int64_t at = call.begin_ns;
    for (size_t inner = i + 1; inner < next; ++inner) {
      const Call& nested = process_.calls[inner];
      if (!IsBlocking(inner) || nested.begin_ns < at) continue;
      AddWait(inner, false);
      Add({at, nested.begin_ns}, state);
      Add({nested.begin_ns, nested.end_ns}, HostState::kWait);
      at = nested.end_ns;
    }
    Add({at, call.end_ns}, state);
  }

  // A loop of queries is one wait.
  void AddQuery(size_t i) {
    const Call& call = process_.calls[i];
    const bool again = last_query_end_ns_ != kNoQuery &&
                       call.begin_ns - last_query_end_ns_ < kSpinPauseNs;
    last_query_end_ns_ = call.end_ns;
    if (!again || spans_.empty()) {
      spins_ = false;
      Add({call.begin_ns, call.end_ns}, HostState::kLaunch);
      return;
    }
    if (!spins_) {
      timeline_.waits.push_back({spans_.back().span, CallId(i), false, true});
    }
    spins_ = true;
    spans_.back().state = HostState::kWait;
    spans_.back().span.end_ns = call.end_ns;
    timeline_.waits.back().span.end_ns = call.end_ns;
  }

  void AddWait(size_t i, bool pageable) {
    const Call& call = process_.calls[i];
    timeline_.waits.push_back(
        {{call.begin_ns, call.end_ns}, CallId(i), pageable});
  }

  void Add(Interval span, HostState state) {
    // Calls of one thread don't overlap, but records may touch.
    if (!spans_.empty()) {
      span.begin_ns = std::max(span.begin_ns, spans_.back().span.end_ns);
    }
    if (span.length_ns() > 0) spans_.push_back({span, state});
  }

  static constexpr int64_t kNoQuery = INT64_MIN;
  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  const absl::flat_hash_set<size_t>& pageable_;
  HostTimeline& timeline_;
  std::vector<HostSpan> spans_;
  int64_t last_query_end_ns_ = kNoQuery;
  bool spins_ = false;  // the last query was one of a loop
};

// Where spans of several threads overlap, work counts before waiting.
std::vector<HostSpan> Merged(const std::vector<HostSpan>& spans) {
  struct Edge {
    int64_t at_ns;
    HostState state;
    int by;
  };
  std::vector<Edge> edges;
  edges.reserve(2 * spans.size());
  for (const HostSpan& span : spans) {
    edges.push_back({span.span.begin_ns, span.state, 1});
    edges.push_back({span.span.end_ns, span.state, -1});
  }
  // One thread after the other, each in order.
  SortNearlySorted(
      edges, [](const Edge& a, const Edge& b) { return a.at_ns < b.at_ns; });
  std::array<int, kHostStates> open{};
  std::vector<HostSpan> merged;
  merged.reserve(edges.size());
  for (size_t i = 0; i < edges.size(); ++i) {
    open[static_cast<size_t>(edges[i].state)] += edges[i].by;
    if (i + 1 == edges.size() || edges[i + 1].at_ns == edges[i].at_ns) continue;
    const Interval span{edges[i].at_ns, edges[i + 1].at_ns};
    for (const HostState state :
         {HostState::kLibrary, HostState::kLaunch, HostState::kWait}) {
      if (open[static_cast<size_t>(state)] == 0) continue;
      merged.push_back({span, state});
      break;
    }
  }
  return merged;
}

// Calls that copy from or to pageable memory: they return when the memory may
// be used again.
absl::flat_hash_set<size_t> PageableCopies(
    const Process& process, const ProcessAttribution& attribution) {
  absl::flat_hash_set<size_t> calls;
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    const CallId call = attribution.activities[i].submitted_by;
    if (activity.kind != ActivityKind::kMemcpy || !call.known()) continue;
    if (activity.graph_node != 0) continue;
    if (activity.source == MemoryKind::kPageable ||
        activity.target == MemoryKind::kPageable) {
      calls.insert(call.value());
    }
  }
  return calls;
}

}  // namespace

Feeders::Feeders(const Process& process, const ProcessAttribution& attribution)
    : of_thread_(process.threads.size(), kNoFeeder) {
  std::vector<size_t> parents(process.threads.size());
  std::iota(parents.begin(), parents.end(), size_t{0});
  std::vector<uint64_t> kernels(process.threads.size());
  std::vector<bool> submits(process.threads.size());
  // By stream, and of those without one.
  std::vector<size_t> first_of_stream(process.streams.size() + 1, kNoFeeder);
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const CallId call = attribution.activities[i].submitted_by;
    if (!call.known()) continue;
    const Activity& activity = process.activities[i];
    const size_t thread = process.calls[call.value()].thread.value();
    submits[thread] = true;
    kernels[thread] += activity.kind == ActivityKind::kKernel;
    const size_t stream = activity.stream.known() ? activity.stream.value()
                                                  : process.streams.size();
    size_t& first = first_of_stream[stream];
    if (first == kNoFeeder) first = thread;
    if (first != thread) {
      parents[RootOf(parents, thread)] = RootOf(parents, first);
    }
  }
  for (size_t thread = 0; thread < parents.size(); ++thread) {
    if (!submits[thread]) continue;
    const size_t root = RootOf(parents, thread);
    if (of_thread_[root] == kNoFeeder) {
      of_thread_[root] = threads_.size();
      threads_.emplace_back();
      kernels_.push_back(0);
    }
    of_thread_[thread] = of_thread_[root];
    threads_[of_thread_[root]].push_back(ThreadId(thread));
    kernels_[of_thread_[root]] += kernels[thread];
  }
}

size_t Feeders::MainFeederOf(const Process& process,
                             const ProcessAttribution& attribution,
                             DeviceId device) const {
  std::vector<uint64_t> kernels(count());
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    const CallId call = attribution.activities[i].submitted_by;
    if (activity.device != device || !call.known()) continue;
    if (activity.kind != ActivityKind::kKernel) continue;
    ++kernels[OfThread(process.calls[call.value()].thread)];
  }
  const auto most = std::max_element(kernels.begin(), kernels.end());
  if (most == kernels.end() || *most == 0) return kNoFeeder;
  return most - kernels.begin();
}

HostTimeline TimelineOf(const TraceModel& model, const Process& process,
                        const ProcessAttribution& attribution,
                        const std::vector<ThreadId>& threads) {
  const absl::flat_hash_set<size_t> pageable =
      PageableCopies(process, attribution);
  HostTimeline timeline;
  const auto& calls = process.calls;
  for (const ThreadId thread : threads) {
    const auto [first, last] = std::equal_range(
        calls.begin(), calls.end(), thread, [](const auto& a, const auto& b) {
          if constexpr (std::is_same_v<std::decay_t<decltype(a)>, Call>) {
            return a.thread < b;
          } else {
            return a < b.thread;
          }
        });
    std::vector<HostSpan> spans =
        ThreadSpans(model, process, attribution, pageable, timeline)
            .Run(first - calls.begin(), last - calls.begin());
    if (timeline.spans.empty()) {
      timeline.spans = std::move(spans);
    } else {
      timeline.spans.insert(timeline.spans.end(), spans.begin(), spans.end());
    }
  }
  if (threads.size() > 1) {
    timeline.spans = Merged(timeline.spans);
    SortNearlySorted(timeline.call_begins, std::less<>());
  }
  std::stable_sort(timeline.waits.begin(), timeline.waits.end(),
                   [](const Wait& a, const Wait& b) {
                     return a.span.begin_ns < b.span.begin_ns;
                   });
  return timeline;
}

}  // namespace dltap::analyzer
