// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/replays.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "absl/hash/hash.h"
#include "analyzer/attribution/launch_shape.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kShortest = 3;  // fewer kernels may be alike by chance

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
  for (const Submission& at : order) {
    const Attributed& attributed = attribution.activities[at.activity];
    const Activity& activity = process.activities[at.activity];
    if (activity.kind != ActivityKind::kKernel || at.captured) continue;
    if (!LaunchesGraph(model, process, attributed.submitted_by)) {
      if (activity.graph_node == 0) others.push_back(at.activity);
    } else if (!attributed.owner.known() ||
               attributed.owner == attributed.submitted_by) {
      replays[attributed.submitted_by].Add(process, at.activity);
    }
  }
  if (replays.empty()) return;
  Kernels eager;
  for (const size_t activity : others) eager.Add(process, activity);
  std::map<std::vector<size_t>, size_t> places;  // by signatures
  for (const auto& [call, replay] : replays) {
    if (replay.signatures.size() < kShortest) continue;
    const auto [it, is_new] = places.try_emplace(replay.signatures);
    if (is_new) {
      const auto found =
          std::search(eager.signatures.begin(), eager.signatures.end(),
                      std::boyer_moore_horspool_searcher(
                          replay.signatures.begin(), replay.signatures.end()));
      it->second = static_cast<size_t>(found - eager.signatures.begin());
    }
    if (it->second == eager.signatures.size()) continue;
    for (size_t i = 0; i < replay.activities.size(); ++i) {
      Follow(attribution.activities[eager.activities[it->second + i]],
             attribution.activities[replay.activities[i]]);
    }
  }
}

}  // namespace dltap::analyzer
