// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/xla_runs.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/attribution/launch_shape.h"
#include "analyzer/attribution/name_rules.h"

namespace dltap::analyzer {
namespace {

// What one run of a module gave the device, or one copy to it outside of any.
struct Run {
  TextId module;                         // none: a copy outside of any
  std::vector<size_t> activities;        // in the order of submission
  std::vector<bool> may_update;          // as they, by path and name
  std::optional<size_t> first_backward;  // into activities
  size_t forward_end = 0;   // behind the last layer that is told to be forward
  size_t after_passes = 0;  // behind the last backward work and that of layers
  bool layers = false;
  bool silent_layers = false;  // of which not even a path is known
  bool input = false;
};

class RunPass {
 public:
  RunPass(const Process& process, ProcessAttribution& attribution)
      : process_(process), attribution_(attribution) {}

  void Decide(const std::vector<Run>& runs) {
    absl::flat_hash_set<TextId> differentiate;
    for (const Run& run : runs) {
      if (run.first_backward) differentiate.insert(run.module);
    }
    Direction phase = Direction::kNone;
    for (const Run& run : runs) {
      if (run.first_backward) {
        Split(run, *run.first_backward);
        phase = Direction::kUpdate;
      } else if (differentiate.contains(run.module)) {
        // Cut, or it skips its backward pass this time.
        SetForward(run, run.forward_end);
        phase = Direction::kNone;
      } else {
        if (run.layers || run.input) phase = Direction::kForward;
        if (run.silent_layers) phase = Direction::kNone;
        for (const size_t activity : run.activities) Set(activity, phase);
      }
    }
  }

 private:
  void SetForward(const Run& run, size_t end) {
    for (size_t i = 0; i < end; ++i) {
      if (HasBlocks(run.activities[i])) {
        Set(run.activities[i], Direction::kForward);
      }
    }
  }

  void Split(const Run& run, size_t first_backward) {
    SetForward(run, std::min(first_backward, run.forward_end));
    for (size_t i = run.after_passes; i < run.activities.size(); ++i) {
      if (run.may_update[i]) Set(run.activities[i], Direction::kUpdate);
    }
  }

  void Set(size_t activity, Direction direction) {
    Attributed& at = attribution_.activities[activity];
    if (at.direction == Direction::kNone) at.direction = direction;
  }

  // One block may be factors, such as the powers of an optimizer's decay.
  bool HasBlocks(size_t activity) const {
    const LaunchShape shape = ShapeOf(process_, process_.activities[activity]);
    return uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2] > 1;
  }

  const Process& process_;
  ProcessAttribution& attribution_;
};

// A number is an argument rather than a batch.
bool IsInput(const Activity& activity, const Attributed& attributed) {
  return attributed.layer_class == LayerClass::kCopyH2d &&
         activity.bytes > sizeof(double);
}

// Sums, and rows that are added up, may be gradients, also at the very end.
bool MayBeGradient(const TraceModel& model, const Process& process,
                   size_t activity, LayerClass layer_class) {
  if (layer_class != LayerClass::kElementwise &&
      layer_class != LayerClass::kLayout) {
    return true;
  }
  const TextId name = process.activities[activity].name;
  return model.texts[name].find("scatter") != std::string_view::npos;
}

std::vector<Run> RunsOf(const TraceModel& model, const Process& process,
                        const XlaPasses& xla_passes,
                        const std::vector<Submission>& order,
                        const ProcessAttribution& attribution) {
  std::vector<Run> runs;
  absl::flat_hash_map<size_t, size_t> of_range;
  for (const Submission& at : order) {
    const Attributed& activity = attribution.activities[at.activity];
    if (at.captured || !activity.submitted_by.known()) continue;
    const Call& call = process.calls[activity.submitted_by.value()];
    const auto [range, has_path, is_silent] =
        xla_passes.PlaceAt(call.thread, call.begin_ns);
    if (!range.known()) {
      if (!IsInput(process.activities[at.activity], activity)) continue;
      runs.emplace_back();
      runs.back().input = true;
      continue;
    }
    const auto [it, is_new] = of_range.try_emplace(range.value(), runs.size());
    if (is_new) {
      runs.emplace_back();
      runs.back().module = process.ranges[range.value()].name;
    }
    Run& run = runs[it->second];
    const bool is_backward = IsBackward(activity.direction);
    if (is_backward && !run.first_backward) {
      run.first_backward = run.activities.size();
    }
    const bool is_layer = IsOfALayer(activity.layer_class);
    run.layers |= is_layer;
    run.silent_layers |= is_layer && !has_path;
    const size_t next = run.activities.size() + 1;
    if (is_backward || is_layer) run.after_passes = next;
    if (is_layer && activity.direction == Direction::kForward) {
      run.forward_end = next;
    }
    run.may_update.push_back(
        has_path || (is_silent && !MayBeGradient(model, process, at.activity,
                                                 activity.layer_class)));
    run.activities.push_back(at.activity);
  }
  return runs;
}

}  // namespace

void DecideInXlaRuns(const TraceModel& model, const Process& process,
                     const XlaPasses& xla_passes,
                     const std::vector<Submission>& order,
                     ProcessAttribution& attribution) {
  RunPass(process, attribution)
      .Decide(RunsOf(model, process, xla_passes, order, attribution));
}

}  // namespace dltap::analyzer
