// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/direction/replays.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "absl/hash/hash.h"
#include "analyzer/attribution/base/launch_shape.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kShortest = 3;     // fewer kernels may be alike by chance
constexpr double kNearlyAll = 0.8;  // of a replay ran before
constexpr size_t kMostCells = 8'000'000;  // of a table of pairs of kernels

// Kernels one after the other: what each is, and where it stands.
struct Kernels {
  std::vector<size_t> signatures;
  std::vector<size_t> activities;

  void Add(const Process& process, size_t activity) {
    const Activity& kernel = process.activities[activity];
    const LaunchShape shape = ShapeOf(process, kernel);
    signatures.push_back(
        absl::HashOf(kernel.name.value(), shape.grid, shape.block));
    activities.push_back(activity);
  }
};

using Signatures = std::vector<size_t>;
constexpr size_t kNowhere = static_cast<size_t>(-1);

// For each kernel of a replay the same one among the last `eager` before it,
// in order; kNowhere for few that are in the graph alone, such as fills.
std::vector<size_t> Align(const Signatures& replay, const Signatures& eager,
                          size_t end) {
  const size_t n = replay.size();
  const size_t m = std::min(end, n + n / 4);
  const size_t first = end - m;
  std::vector<size_t> places(n, kNowhere);
  if (m == 0 || n > kMostCells / m) return places;
  // common[i][j]: kernels in common of replay[i..] and eager[first + j..].
  std::vector<uint16_t> common((n + 1) * (m + 1));
  const auto at = [&](size_t i, size_t j) -> uint16_t& {
    return common[i * (m + 1) + j];
  };
  for (size_t i = n; i-- > 0;) {
    for (size_t j = m; j-- > 0;) {
      at(i, j) = replay[i] == eager[first + j]
                     ? static_cast<uint16_t>(at(i + 1, j + 1) + 1)
                     : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  if (at(0, 0) < kNearlyAll * static_cast<double>(n)) return places;
  for (size_t i = 0, j = 0; i < n && j < m;) {
    if (replay[i] == eager[first + j]) {
      places[i++] = first + j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      ++i;
    } else {
      ++j;
    }
  }
  return places;
}

std::vector<size_t> PlacesOf(const Signatures& replay, const Signatures& eager,
                             size_t first_replay) {
  const auto found = std::search(
      eager.begin(), eager.end(),
      std::boyer_moore_horspool_searcher(replay.begin(), replay.end()));
  if (found == eager.end()) return Align(replay, eager, first_replay);
  std::vector<size_t> places(replay.size());
  std::iota(places.begin(), places.end(),
            static_cast<size_t>(found - eager.begin()));
  return places;
}

void Follow(const Attributed& warmup, Attributed& replay) {
  replay.direction = warmup.direction;
  if (replay.class_from != ClassFrom::kKernelName &&
      replay.class_from != ClassFrom::kNone) {
    return;
  }
  replay.layer_class = warmup.layer_class;
  replay.class_from = warmup.class_from;
  replay.ruling = warmup.ruling;
}

// What stands in the graph alone is where both kernels around it are; at its
// end, where the one before it is.
void FollowAll(const Kernels& eager, const std::vector<size_t>& places,
               const Kernels& replay, ProcessAttribution& attribution) {
  std::vector<size_t> alone;
  Direction before = Direction::kNone;
  const auto set = [&](Direction direction) {
    for (const size_t activity : alone) {
      Attributed& attributed = attribution.activities[activity];
      if (attributed.direction == Direction::kNone) {
        attributed.direction = direction;
      }
    }
    alone.clear();
  };
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] == kNowhere) {
      alone.push_back(replay.activities[i]);
      continue;
    }
    Attributed& attributed = attribution.activities[replay.activities[i]];
    Follow(attribution.activities[eager.activities[places[i]]], attributed);
    set(before == attributed.direction ? before : Direction::kNone);
    before = attributed.direction;
  }
  set(before);
}

}  // namespace

bool LaunchesGraph(const TraceModel& model, const Process& process,
                   CallId call) {
  if (!call.known()) return false;
  const specs::EntryPointInfo* info =
      model.entry_points[process.calls[call.value()].entry.value()].info;
  return info != nullptr && info->kind == specs::Kind::kGraphLaunch;
}

void FollowWarmups(const TraceModel& model, const Process& process,
                   const std::vector<Submission>& order,
                   ProcessAttribution& attribution) {
  std::map<CallId, Kernels> replays;  // by the launch of the graph
  std::vector<size_t> others;
  size_t first_replay = 0;  // others before it
  for (const Submission& at : order) {
    const Attributed& attributed = attribution.activities[at.activity];
    const Activity& activity = process.activities[at.activity];
    if (activity.kind != ActivityKind::kKernel || at.captured) continue;
    if (!LaunchesGraph(model, process, attributed.submitted_by)) {
      if (activity.graph_node == 0) others.push_back(at.activity);
    } else if (!attributed.owner.known() ||
               attributed.owner == attributed.submitted_by) {
      if (replays.empty()) first_replay = others.size();
      replays[attributed.submitted_by].Add(process, at.activity);
    }
  }
  if (replays.empty()) return;
  Kernels eager;
  for (const size_t activity : others) eager.Add(process, activity);
  std::map<Signatures, std::vector<size_t>> places;
  for (const auto& [call, replay] : replays) {
    if (replay.signatures.size() < kShortest) continue;
    const auto [it, is_new] = places.try_emplace(replay.signatures);
    if (is_new) {
      it->second = PlacesOf(replay.signatures, eager.signatures, first_replay);
    }
    FollowAll(eager, it->second, replay, attribution);
  }
}

}  // namespace dltap::analyzer
