// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/xla_runs.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/attribution/xla_run.h"

namespace dltap::analyzer {
namespace {

using Works = std::vector<XlaWork>;

// Layers of an update, such as the products of an orthogonal one.
bool IsUpdatingLayer(const XlaWork& work) {
  return work.is_layer && work.is_plain;
}

// Decides in a run of a module that has a backward pass.
class PassesOfRun {
 public:
  explicit PassesOfRun(const Works& works)
      : works_(works), decided_(works.size(), Direction::kNone) {
    FindTurns();
    FindRepeated();
  }

  // kNone: stays open, or is told.
  std::vector<Direction> Decide() {
    for (size_t i = 0; i < forward_end_; ++i) {
      if (!works_[i].one_block && !MayBeGradientOfLabels(works_[i])) {
        Set(i, Direction::kForward);
      }
    }
    DecideBackwardLayers();
    for (size_t i = last_forward_end_; i < works_.size(); ++i) {
      if (Updates(i)) Set(i, Direction::kUpdate);
    }
    return std::move(decided_);
  }

 private:
  void FindTurns() {
    const auto is_backward = [](const XlaWork& work) {
      return IsBackward(work.told);
    };
    const auto first = std::find_if(works_.begin(), works_.end(), is_backward);
    const auto layer = std::find_if(first, works_.end(), [&](const auto& work) {
      return work.is_layer && is_backward(work);
    });
    first_backward_ = static_cast<size_t>(first - works_.begin());
    const auto turn = static_cast<size_t>(
        (layer == works_.end() ? first : layer) - works_.begin());
    for (size_t i = 0; i < works_.size(); ++i) {
      const XlaWork& work = works_[i];
      if (work.is_layer && work.told == Direction::kForward) {
        last_forward_end_ = i + 1;
        if (i < turn) forward_end_ = i + 1;
      }
      if (work.is_layer || is_backward(work)) after_passes_ = i + 1;
      recomputes_ |= work.told == Direction::kRecompute;
    }
    last_forward_end_ = std::max(last_forward_end_, first_backward_);
  }

  // Where a loop sums up gradients, what is done once behind it is the update.
  void FindRepeated() {
    absl::flat_hash_map<size_t, size_t> times;
    for (const XlaWork& work : works_) {
      if (work.thunk.known()) ++times[work.thunk.value()];
    }
    for (const XlaWork& work : works_) {
      const bool again = work.thunk.known() && times[work.thunk.value()] > 1;
      repeated_.push_back(again);
    }
    for (size_t i = after_passes_; i < works_.size(); ++i) {
      updates_once_ |=
          !repeated_[i] && works_[i].has_path && !works_[i].one_block;
    }
  }

  // A gradient that needs labels and no loss may be computed any time.
  static bool MayBeGradientOfLabels(const XlaWork& work) {
    const bool sums = work.is_sum && !work.is_layer && !work.is_over_rows;
    return !work.has_path && (work.is_scatter || sums);
  }

  void DecideBackwardLayers() {
    const bool updates_have_layers =
        std::any_of(works_.begin(), works_.end(), IsUpdatingLayer);
    std::vector<Direction> next(works_.size());  // that a layer has
    Direction told = Direction::kNone;
    for (size_t i = works_.size(); i > 0; --i) {
      next[i - 1] = told;
      told = LayerDirection(works_[i - 1], told);
    }
    told = Direction::kNone;
    for (size_t i = 0; i < works_.size(); ++i) {
      const XlaWork& work = works_[i];
      told = LayerDirection(work, told);
      if (!IsBackward(told)) continue;
      const bool product = work.is_product && work.has_path && !work.is_plain;
      const bool rows = work.is_over_rows && !recomputes_;
      const bool between = IsBackward(next[i]);
      const bool last = next[i] == Direction::kNone && !updates_have_layers;
      if ((product && (between || last)) || (rows && between)) {
        Set(i, Direction::kBackward);
      }
    }
  }

  static Direction LayerDirection(const XlaWork& work, Direction before) {
    if (IsUpdatingLayer(work)) return Direction::kUpdate;
    return work.is_layer && work.told != Direction::kNone ? work.told : before;
  }

  // Of what comes behind the last layer forward.
  bool Updates(size_t i) const {
    const XlaWork& work = works_[i];
    if (repeated_[i] && updates_once_) return false;
    if (work.is_plain) return true;
    if (i < after_passes_ || work.is_sum || work.is_scatter) return false;
    // One number may be the loss.
    return work.has_path ? !work.one_number : work.is_silent;
  }

  void Set(size_t i, Direction direction) {
    if (works_[i].told != Direction::kNone) return;
    if (decided_[i] == Direction::kNone) decided_[i] = direction;
  }

  const Works& works_;
  std::vector<Direction> decided_;
  std::vector<bool> repeated_;
  bool updates_once_ = false;
  bool recomputes_ = false;
  size_t first_backward_ = 0;
  // Behind the last layer forward in front of the first backward one; of all.
  size_t forward_end_ = 0;
  size_t last_forward_end_ = 0;
  size_t after_passes_ = 0;  // behind the last backward work and that of layers
};

class RunPass {
 public:
  explicit RunPass(ProcessAttribution& attribution)
      : attribution_(attribution) {}

  void Decide(const std::vector<XlaRun>& runs) {
    absl::flat_hash_set<TextId> differentiate;
    for (const XlaRun& run : runs) {
      if (HasBackward(run)) differentiate.insert(run.module);
    }
    Direction phase = Direction::kNone;
    for (const XlaRun& run : runs) {
      if (run.module.known() && differentiate.contains(run.module)) {
        DecidePasses(run);
        // Else the trace cuts it, or it skips its backward pass this time.
        phase = HasBackward(run) ? Direction::kUpdate : Direction::kNone;
        continue;
      }
      phase = PhaseOf(run, phase);
      for (const XlaWork& work : run.works) Set(work, phase);
    }
    FollowFusions(runs);
  }

 private:
  using Fusion = std::pair<size_t, size_t>;  // texts of module and thunk

  static bool HasBackward(const XlaRun& run) {
    return std::ranges::any_of(run.works, IsBackward, &XlaWork::told);
  }

  static Direction PhaseOf(const XlaRun& run, Direction before) {
    const auto is_silent_layer = [](const XlaWork& work) {
      return work.is_layer && !work.has_path;
    };
    if (std::ranges::any_of(run.works, is_silent_layer)) {
      return Direction::kNone;
    }
    const bool layers = std::ranges::any_of(run.works, &XlaWork::is_layer);
    return layers || run.is_input ? Direction::kForward : before;
  }

  void DecidePasses(const XlaRun& run) {
    const std::vector<Direction> decided = PassesOfRun(run.works).Decide();
    for (size_t i = 0; i < decided.size(); ++i) {
      const XlaWork& work = run.works[i];
      if (decided[i] == Direction::kNone) continue;
      Set(work, decided[i]);
      if (!work.thunk.known()) continue;
      const auto [it, is_new] =
          of_fusion_.try_emplace(FusionOf(run, work), decided[i]);
      if (!is_new && it->second != decided[i]) it->second = Direction::kNone;
    }
  }

  // What one fusion does in a loop is of one pass: a turn that tells it tells
  // the others.
  void FollowFusions(const std::vector<XlaRun>& runs) {
    for (const XlaRun& run : runs) {
      for (const XlaWork& work : run.works) {
        if (!work.thunk.known()) continue;
        const auto it = of_fusion_.find(FusionOf(run, work));
        if (it != of_fusion_.end()) Set(work, it->second);
      }
    }
  }

  static Fusion FusionOf(const XlaRun& run, const XlaWork& work) {
    return {run.module.value(), work.thunk.value()};
  }

  void Set(const XlaWork& work, Direction direction) {
    Attributed& at = attribution_.activities[work.activity];
    if (at.direction == Direction::kNone) at.direction = direction;
  }

  ProcessAttribution& attribution_;
  absl::flat_hash_map<Fusion, Direction> of_fusion_;
};

}  // namespace

void DecideInXlaRuns(const TraceModel& model, const Process& process,
                     const XlaPasses& xla_passes,
                     const std::vector<Submission>& order,
                     ProcessAttribution& attribution) {
  RunPass(attribution)
      .Decide(XlaRuns(model, process, xla_passes, order, attribution));
}

}  // namespace dltap::analyzer
