// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/seen_pauses.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/metrics/idle/frame_roles.h"

namespace dltap::analyzer {
namespace {

// Shorter ones cost nobody much, and there are many.
constexpr int64_t kShortestNs = 100'000;
constexpr uint64_t kFewLooks = 3;

struct Looks {
  uint64_t all = 0;
  uint64_t loading = 0;
  uint64_t aside = 0;
};

struct Pause {
  Interval span;
  size_t kind;
  Looks looks;
};

// Between which functions, whether a copy to the host ends it, and how long, by
// powers of two.
using KindKey = std::tuple<size_t, size_t, bool, size_t>;

class PauseFinder {
 public:
  PauseFinder(const TraceModel& model, const Process& process,
              const ProcessAttribution& attribution, const Feeders& feeders)
      : model_(model), process_(process), feeders_(feeders) {
    roles_.resize(model.sites.size());
    for (size_t i = 0; i < process.activities.size(); ++i) {
      const CallId by = attribution.activities[i].submitted_by;
      if (process.activities[i].kind == ActivityKind::kMemcpy &&
          process.activities[i].copy == CopyKind::kDeviceToHost && by.known()) {
        reads_.insert(by.value());
      }
    }
  }

  SeenPauses Run() {
    FindPauses();
    for (const FramesSeen& seen : process_.frames_seen) Count(seen);
    SeenPauses out;
    for (const std::vector<Pause>& pauses : of_thread_) {
      for (const Pause& pause : pauses) Split(pause, out);
    }
    const auto by_begin = [](const Interval& a, const Interval& b) {
      return a.begin_ns < b.begin_ns;
    };
    std::ranges::stable_sort(out.loading, by_begin);
    std::ranges::stable_sort(out.aside, by_begin);
    return out;
  }

 private:
  // Calls are in order of their thread and begin.
  void FindPauses() {
    of_thread_.resize(process_.threads.size());
    const Call* last = nullptr;
    for (const Call& call : process_.calls) {
      if (call.depth != 0 ||
          feeders_.OfThread(call.thread) == Feeders::kNoFeeder) {
        continue;
      }
      if (last != nullptr && last->thread == call.thread) Add(*last, call);
      last = &call;
    }
  }

  void Add(const Call& before, const Call& after) {
    const Interval span{before.end_ns, after.begin_ns};
    if (span.length_ns() < kShortestNs) return;
    const auto at = static_cast<size_t>(&after - process_.calls.data());
    const KindKey key{before.entry.value(), after.entry.value(),
                      reads_.contains(at),
                      std::bit_width(static_cast<uint64_t>(span.length_ns()))};
    const auto [it, is_new] = kinds_.try_emplace(key, looks_.size());
    if (is_new) looks_.emplace_back();
    of_thread_[after.thread.value()].push_back({span, it->second, {}});
  }

  void Count(const FramesSeen& seen) {
    std::vector<Pause>& pauses = of_thread_[seen.thread.value()];
    const auto after = std::upper_bound(
        pauses.begin(), pauses.end(), seen.at_ns,
        [](int64_t at, const Pause& p) { return at < p.span.begin_ns; });
    if (after == pauses.begin()) return;
    Pause& pause = *std::prev(after);
    if (pause.span.end_ns <= seen.at_ns) return;
    const FrameRole role =
        seen.site.known() ? RoleAt(seen.site) : FrameRole::kNone;
    AddTo(pause.looks, role);
    AddTo(looks_[pause.kind], role);
  }

  static void AddTo(Looks& looks, FrameRole role) {
    ++looks.all;
    looks.loading += role == FrameRole::kLoader;
    looks.aside += role == FrameRole::kAside;
  }

  FrameRole RoleAt(SiteId site) {
    std::optional<FrameRole>& role = roles_[site.value()];
    if (!role) role = RoleOf(model_.sites[site.value()]);
    return *role;
  }

  void Split(const Pause& pause, SeenPauses& out) const {
    const Looks& looks =
        pause.looks.all >= kFewLooks ? pause.looks : looks_[pause.kind];
    if (looks.all < kFewLooks) return;
    const auto part = [&](uint64_t found) {
      return std::llround(static_cast<double>(pause.span.length_ns()) *
                          static_cast<double>(found) /
                          static_cast<double>(looks.all));
    };
    const auto [begin, end] = pause.span;
    if (looks.loading > 0) {
      out.loading.push_back({begin, begin + part(looks.loading)});
    }
    if (looks.aside > 0) out.aside.push_back({end - part(looks.aside), end});
  }

  const TraceModel& model_;
  const Process& process_;
  const Feeders& feeders_;
  absl::flat_hash_set<size_t> reads_;  // calls that copy to the host
  std::vector<std::vector<Pause>> of_thread_;
  std::vector<Looks> looks_;  // by kind
  absl::flat_hash_map<KindKey, size_t> kinds_;
  std::vector<std::optional<FrameRole>> roles_;  // by site
};

}  // namespace

SeenPauses SeenPausesOf(const TraceModel& model, const Process& process,
                        const ProcessAttribution& attribution,
                        const Feeders& feeders) {
  if (process.frames_seen.empty()) return {};
  return PauseFinder(model, process, attribution, feeders).Run();
}

}  // namespace dltap::analyzer
