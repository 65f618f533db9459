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

// Looks that found one thing, and where in their pauses: 0 to 1 each.
struct Found {
  uint64_t count = 0;
  double at = 0;
};

struct Looks {
  uint64_t all = 0;
  Found loading;
  Found aside;
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
    const double at = static_cast<double>(seen.at_ns - pause.span.begin_ns) /
                      static_cast<double>(pause.span.length_ns());
    AddTo(pause.looks, role, at);
    AddTo(looks_[pause.kind], role, at);
  }

  static void AddTo(Looks& looks, FrameRole role, double at) {
    ++looks.all;
    if (role == FrameRole::kNone) return;
    Found& found = role == FrameRole::kLoader ? looks.loading : looks.aside;
    ++found.count;
    found.at += at;
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
    Interval loading = PartOf(pause, looks.loading, looks.all);
    Interval aside = PartOf(pause, looks.aside, looks.all);
    if (loading.begin_ns < aside.begin_ns) {
      MoveApart(pause.span, loading, aside);
    } else {
      MoveApart(pause.span, aside, loading);
    }
    if (looks.loading.count > 0) out.loading.push_back(loading);
    if (looks.aside.count > 0) out.aside.push_back(aside);
  }

  // Both take turns: the one that is earlier on average is put first.
  static void MoveApart(const Interval& span, Interval& first,
                        Interval& second) {
    const int64_t over = std::max<int64_t>(first.end_ns - second.begin_ns, 0);
    const int64_t back = std::min(over, first.begin_ns - span.begin_ns);
    first = {first.begin_ns - back, first.end_ns - back};
    second.begin_ns += over - back;
    second.end_ns = std::min(second.end_ns + over - back, span.end_ns);
  }

  // As long as its share of the looks, around the mean of their places.
  static Interval PartOf(const Pause& pause, const Found& found, uint64_t all) {
    const auto [begin, end] = pause.span;
    if (found.count == 0) return {begin, begin};
    const auto count = static_cast<double>(found.count);
    const auto length_ns = static_cast<double>(end - begin);
    const double part_ns = length_ns * count / static_cast<double>(all);
    const double first_ns = std::clamp(
        length_ns * found.at / count - part_ns / 2, 0.0, length_ns - part_ns);
    const int64_t from = begin + std::llround(first_ns);
    return {from, std::min<int64_t>(from + std::llround(part_ns), end)};
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
