// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/xla/xla_runs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/attribution/xla/xla_run.h"

namespace dltap::analyzer {
namespace {

using Works = std::vector<XlaWork>;

// More than the loss and the last gradients.
constexpr size_t kLeastNorms = 4;

// Layers of an update, such as the products of an orthogonal one.
bool IsUpdatingLayer(const XlaWork& work) {
  return work.is_layer && work.is_plain;
}

bool IsSilentSum(const XlaWork& work) {
  return !work.has_path && work.is_sum && !work.is_layer &&
         !work.is_over_rows && !work.is_scatter;
}

// Decides in a run of a module that has a backward pass.
class PassesOfRun {
 public:
  explicit PassesOfRun(const Works& works)
      : works_(works), decided_(works.size(), Direction::kNone) {
    FindTurns();
    FindRepeated();
    FindNeighbours();
  }

  // kNone: stays open, or is told.
  std::vector<Direction> Decide() {
    for (size_t i = 0; i < forward_end_; ++i) {
      const bool factor = works_[i].one_block && !works_[i].is_layer;
      if (!factor && !MayBeGradientOfLabels(works_[i])) {
        Set(i, Direction::kForward);
      }
    }
    for (size_t i = 0; i < works_.size(); ++i) DecideBetweenLayers(i);
    for (size_t i = 0; i < works_.size(); ++i) {
      if (IsBackward(before_[i])) DecideBehindBackward(i);
      if (i > turn_ && !repeated_[i]) DecideWritten(i);
    }
    for (size_t i = last_forward_end_; i < works_.size(); ++i) {
      const bool sums = sums_up_ && works_[i].only_adds;
      if (sums || MovesGradient(i)) Set(i, Direction::kBackward);
      if (Updates(i)) Set(i, Direction::kUpdate);
    }
    FindSizes();
    for (size_t i = 0; i < works_.size(); ++i) DecideByItsLike(i);
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
    turn_ = static_cast<size_t>((layer == works_.end() ? first : layer) -
                                works_.begin());
    for (size_t i = 0; i < works_.size(); ++i) {
      const XlaWork& work = works_[i];
      const bool is_forward = work.is_layer && work.told == Direction::kForward;
      if (is_forward) last_forward_end_ = i + 1;
      // The loss's softmax is the last of it.
      const bool rows = work.is_over_rows && !is_backward(work);
      if ((is_forward || (rows && forward_end_ > 0)) && i < turn_) {
        forward_end_ = i + 1;
      }
      if (work.is_layer || is_backward(work)) after_passes_ = i + 1;
      recomputes_ |= work.told == Direction::kRecompute;
    }
    last_forward_end_ = std::max(last_forward_end_, first_backward_);
    sums_up_ = std::all_of(
        works_.begin() + static_cast<ptrdiff_t>(last_forward_end_),
        works_.end(),
        [](const XlaWork& work) { return !work.is_plain || work.only_adds; });
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
    return IsSilentSum(work) || (work.is_scatter && !work.has_path);
  }

  // The direction of the nearest layers before and after each work.
  void FindNeighbours() {
    updates_have_layers_ =
        std::any_of(works_.begin(), works_.end(), IsUpdatingLayer);
    before_.resize(works_.size());
    after_.resize(works_.size());
    Direction told = Direction::kNone;
    for (size_t i = works_.size(); i > 0; --i) {
      after_[i - 1] = told;
      told = LayerDirection(works_[i - 1], told);
    }
    told = Direction::kNone;
    for (size_t i = 0; i < works_.size(); ++i) {
      told = LayerDirection(works_[i], told);
      before_[i] = told;
    }
    const auto tail = works_.begin() + static_cast<ptrdiff_t>(after_passes_);
    norms_ = static_cast<size_t>(
        std::count_if(tail, works_.end(), [](const XlaWork& work) {
          return IsSilentSum(work) && work.one_block;
        }));
  }

  // What stands between two layers of the forward pass is of it, but for
  // factors; so is a fusion over rows behind its last one, the loss.
  void DecideBetweenLayers(size_t i) {
    const XlaWork& work = works_[i];
    if (before_[i] != Direction::kForward) return;
    // Another loss may begin while gradients of the last one are summed up.
    const bool first = i < turn_ || repeated_[i];
    const bool between =
        after_[i] == Direction::kForward && first && !work.one_number;
    const bool loss = IsBackward(after_[i]) && work.is_over_rows;
    if (loss && !work.is_layer) loss_rows_.insert(work.threads);
    if (between || loss) Set(i, Direction::kForward);
  }

  void DecideBehindBackward(size_t i) {
    const XlaWork& work = works_[i];
    const bool between = IsBackward(after_[i]);
    const bool last = after_[i] == Direction::kNone;
    if (!between && !last) return;
    const bool is_common = work.has_path && !work.is_plain;
    // Its weights are updated in the same kernel.
    const bool product =
        work.is_product && is_common && (between || !updates_have_layers_);
    // Unless the loss's value is worked out only now.
    const bool rows = work.is_over_rows && between && !recomputes_ &&
                      !loss_rows_.contains(work.threads);
    // Of what was read by index.
    const bool scatter = work.is_scatter && !work.is_plain;
    if (product || rows || scatter || (between && SumsGradients(i))) {
      return Set(i, Direction::kBackward);
    }
    DecideWritten(i);
    if (between && IsOpenMap(work) && !recomputes_ && !work.makes_sum &&
        !work.makes_difference) {
      Set(i, Direction::kBackward);
    }
  }

  // An update writes sums and differences: weights, and the state beside them.
  void DecideWritten(size_t i) {
    const XlaWork& work = works_[i];
    if (IsOpenMap(work) && work.makes_sum && work.makes_difference) {
      Set(i, Direction::kUpdate);
    }
  }

  // Whether the forward pass goes over as many elements somewhere, and no
  // update does.
  bool HasSizeOfFeatures(const XlaWork& work) const {
    return features_.contains(work.threads) && !weights_.contains(work.threads);
  }

  void FindSizes() {
    for (size_t i = 0; i < works_.size(); ++i) {
      const XlaWork& work = works_[i];
      const Direction is =
          work.told != Direction::kNone ? work.told : decided_[i];
      if (is == Direction::kNone || work.is_layer || work.is_sum) continue;
      const bool updates = is == Direction::kUpdate;
      updates_family_.try_emplace(work.family, true).first->second &= updates;
      if (work.threads == 0) continue;  // not known
      if (is == Direction::kForward) features_.insert(work.threads);
      if (updates) weights_.insert(work.threads);
    }
  }

  // Of what goes over elements behind a layer backward.
  void DecideByItsLike(size_t i) {
    const XlaWork& work = works_[i];
    if (!IsBackward(before_[i]) || !IsOpenMap(work)) return;
    const auto family = updates_family_.find(work.family);
    if (HasSizeOfFeatures(work)) {
      if (IsBackward(after_[i]) && !recomputes_) Set(i, Direction::kBackward);
    } else if (work.makes_difference && family != updates_family_.end() &&
               family->second) {
      Set(i, Direction::kUpdate);
    }
  }

  // Elements, by operations whose paths have no more in common than a scope.
  static bool IsOpenMap(const XlaWork& work) {
    return work.is_elementwise && !work.is_plain && !work.is_scatter &&
           !work.one_number;
  }

  // Norms of gradients and the like are sums, too; they end behind the passes.
  bool SumsGradients(size_t i) const {
    return IsSilentSum(works_[i]) &&
           (norms_ == 0 || (repeated_[i] && updates_once_));
  }

  static Direction LayerDirection(const XlaWork& work, Direction before) {
    if (IsUpdatingLayer(work)) return Direction::kUpdate;
    return work.is_layer && work.told != Direction::kNone ? work.told : before;
  }

  // Behind all layers, what only moves elements gives the last gradient its
  // layout, unless something else was done in between.
  bool MovesGradient(size_t i) const {
    return i >= after_passes_ &&
           std::all_of(works_.begin() + static_cast<ptrdiff_t>(after_passes_),
                       works_.begin() + static_cast<ptrdiff_t>(i) + 1,
                       [](const XlaWork& work) {
                         return work.only_moves && work.is_silent;
                       });
  }

  // Of what comes behind the last layer forward.
  bool Updates(size_t i) const {
    const XlaWork& work = works_[i];
    if (repeated_[i] && updates_once_) return false;
    if (work.is_plain) return true;
    if (i < after_passes_ || work.is_scatter) return false;
    if (work.is_sum) {
      return IsSilentSum(work) && norms_ >= kLeastNorms;
    }
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
  bool sums_up_ = false;  // gradients, that another run applies
  bool updates_once_ = false;
  bool recomputes_ = false;
  bool updates_have_layers_ = false;
  std::vector<Direction> before_;  // of the nearest layer, itself included
  std::vector<Direction> after_;
  absl::flat_hash_set<uint64_t> loss_rows_;  // sizes, in threads
  size_t norms_ = 0;  // sums of one block behind the passes: or the loss
  absl::flat_hash_set<uint64_t> features_;
  absl::flat_hash_set<uint64_t> weights_;
  absl::flat_hash_map<uint64_t, bool> updates_family_;  // all that is decided
  size_t first_backward_ = 0;
  size_t turn_ = 0;  // the first layer backward
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
      if (IsDifferentiated(run)) differentiate.insert(run.module);
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

  // A path may tell so of the forward pass alone.
  static bool IsDifferentiated(const XlaRun& run) {
    return HasBackward(run) ||
           std::ranges::any_of(run.works, [](const XlaWork& work) {
             return work.told == Direction::kForward && work.has_path &&
                    !work.is_plain;
           });
  }

  static Direction PhaseOf(const XlaRun& run, Direction before) {
    const auto has_path = [](const XlaWork& work) {
      return work.is_layer && work.has_path;
    };
    const bool layers = std::ranges::any_of(run.works, &XlaWork::is_layer);
    if (layers && std::ranges::none_of(run.works, has_path)) {
      return Direction::kNone;
    }
    return layers || run.begins_batch ? Direction::kForward : before;
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
