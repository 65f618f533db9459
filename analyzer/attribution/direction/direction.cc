// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/direction/direction.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/attribution/base/engine_threads.h"
#include "analyzer/attribution/base/glue.h"
#include "analyzer/attribution/base/launch_shape.h"
#include "analyzer/attribution/base/submissions.h"
#include "analyzer/attribution/direction/clamps.h"
#include "analyzer/attribution/direction/cleared_gradients.h"
#include "analyzer/attribution/direction/forward_threads.h"
#include "analyzer/attribution/direction/narrow_rows.h"
#include "analyzer/attribution/direction/next_batch.h"
#include "analyzer/attribution/direction/recompute.h"
#include "analyzer/attribution/direction/replays.h"
#include "analyzer/attribution/direction/submitted_work.h"
#include "analyzer/attribution/direction/update_products.h"
#include "analyzer/attribution/names/name_rules.h"
#include "analyzer/attribution/xla/xla_runs.h"

namespace dltap::analyzer {
namespace {

bool StartsForward(LayerClass layer_class) {
  return IsOfALayer(layer_class) || layer_class == LayerClass::kCopyH2d;
}

bool IsPointwise(LayerClass layer_class) {
  switch (layer_class) {
    case LayerClass::kElementwise:
    case LayerClass::kReduction:
    case LayerClass::kLayout:
    case LayerClass::kOptimizer: return true;
    default: return IsCopyOrMemset(layer_class);
  }
}

bool HasNoDirection(LayerClass layer_class) {
  return layer_class == LayerClass::kComm || IsCopyOrMemset(layer_class);
}

// A transposed convolution's forward pass is another's backward data.
bool IsTransposed(const Attributed& activity) {
  return activity.layer_class == LayerClass::kConv &&
         activity.direction == Direction::kBackwardData;
}

bool IsOfTensorFlow(std::string_view name) {
  const auto has = [name](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  };
  return has("10tensorflow") || has("tensorflow::") || has("_GPU_DT_") ||
         has("EigenMetaKernel");
}

// Kernels of compilers whose names are the same in both passes.
bool IsOfSilentFramework(std::string_view name) {
  const auto has = [name](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  };
  return IsOfTensorFlow(name) || name.starts_with("loop_") ||
         name.starts_with("wrapped_") || name.starts_with("input_") ||
         name.starts_with("gemm_fusion") || has("stream_executor") ||
         has("xla") || has("5mxnet") || has("mxnet::");
}

// kForward, kBackward, kUpdate or kNone.
Direction SideOf(Direction direction) {
  return IsBackward(direction) ? Direction::kBackward : direction;
}

class DirectionPass {
 public:
  DirectionPass(const TraceModel& model, const Process& process,
                const XlaPasses& xla_passes, ProcessAttribution& attribution)
      : model_(model),
        process_(process),
        xla_passes_(xla_passes),
        attribution_(attribution),
        order_(SubmissionOrder(process, attribution)) {
    for (const Thread& thread : process.threads) {
      is_autograd_.push_back(thread.name.starts_with("pt_autograd"));
    }
    for (const Submission& at : order_) {
      // Whose call is not known is where what was submitted before it is.
      const bool stays = !is_backward_.empty() && is_backward_.back() &&
                         !At(at).submitted_by.known();
      is_backward_.push_back(stays || IsInBackward(at));
    }
  }

  void Run() {
    const bool marked = std::find(is_backward_.begin(), is_backward_.end(),
                                  true) != is_backward_.end();
    if (marked) {
      SettleNarrowRows(model_, process_, order_, is_backward_, attribution_);
      SetForwardThreadsApart();
      DecideByPass();
    } else if (AnyDirected() || xla_passes_.differentiates()) {
      // XLA runs work of one pass in the middle of another.
      if (xla_passes_.any()) {
        DecideInXlaRuns(model_, process_, xla_passes_, order_, attribution_);
      } else {
        DecideByNeighbours();
      }
    } else if (!MayHideItsBackward()) {
      DecideAllForward();
    }
    FollowCaptures();
    FollowWarmups(model_, process_, order_, attribution_);
    SettleClamps(model_, process_,
                 any_apart_ ? SubmissionOrder(process_, attribution_) : order_,
                 attribution_);
    for (Attributed& activity : attribution_.activities) {
      if (HasNoDirection(activity.layer_class)) {
        activity.direction = Direction::kNone;
      }
    }
  }

 private:
  Attributed& At(const Submission& at) {
    return attribution_.activities[at.activity];
  }
  SubmittedWork Work() const {
    return {model_, process_, attribution_, order_, is_backward_};
  }
  bool IsReplay(const Submission& at) {
    if (at.captured) return false;
    if (process_.activities[at.activity].graph_node != 0) return true;
    return LaunchesGraph(model_, process_, At(at).submitted_by);
  }

  bool IsInBackward(const Submission& at) {
    const Attributed& activity = At(at);
    if (activity.in_backward) return true;
    const CallId call = process_.activities[at.activity].graph_node != 0
                            ? activity.owner
                            : activity.submitted_by;
    return call.known() &&
           is_autograd_[process_.calls[call.value()].thread.value()];
  }

  // A convolution's backward data alone is no sign of training.
  bool AnyDirected() const {
    return std::any_of(attribution_.activities.begin(),
                       attribution_.activities.end(), [](const auto& activity) {
                         if (IsTransposed(activity)) return false;
                         return IsBackward(activity.direction) ||
                                activity.direction == Direction::kUpdate;
                       });
  }

  void DecideAllForward() {
    for (Attributed& activity : attribution_.activities) {
      const bool is_open = activity.direction == Direction::kNone;
      if (is_open || IsTransposed(activity)) {
        activity.direction = Direction::kForward;
      }
    }
  }

  bool MayHideItsBackward() const {
    return !xla_passes_.all_forward() && AnyKernel(IsOfSilentFramework);
  }

  bool AnyKernel(bool (*is_such)(std::string_view)) const {
    absl::flat_hash_set<size_t> names;
    for (const Activity& activity : process_.activities) {
      if (activity.kind != ActivityKind::kKernel) continue;
      if (!names.insert(activity.name.value()).second) continue;
      if (is_such(model_.texts[activity.name])) return true;
    }
    return false;
  }

  void Set(const Submission& at, Direction direction) {
    Attributed& activity = At(at);
    if (activity.direction == Direction::kNone && !IsReplay(at)) {
      activity.direction = direction;
    }
    if (at.captured) captured_[activity.owner.value()] = activity.direction;
  }

  // What only goes forward while another thread trains stands in no row of its
  // passes.
  void SetForwardThreadsApart() {
    const std::vector<bool> goes_forward = ForwardThreads(Work());
    std::vector<Submission> others;
    std::vector<bool> is_backward;
    for (size_t i = 0; i < order_.size(); ++i) {
      Attributed& activity = At(order_[i]);
      const CallId call = activity.submitted_by;
      if (call.known() &&
          goes_forward[process_.calls[call.value()].thread.value()]) {
        activity.direction = Direction::kForward;
        any_apart_ = true;
        continue;
      }
      others.push_back(order_[i]);
      is_backward.push_back(is_backward_[i]);
    }
    if (!any_apart_) return;
    order_ = std::move(others);
    is_backward_ = std::move(is_backward);
  }

  // Threads or ranges tell the passes.
  void DecideByPass() {
    const SubmittedWork work = Work();
    const std::vector<bool> recompute = FindRecompute(work);
    const std::vector<bool> in_update = FindUpdateProducts(work);
    const std::vector<bool> begins_forward = FindNextBatches(work);
    const std::vector<Direction> cleared = FindClearedGradients(work);
    Direction phase = Direction::kForward;
    for (size_t i = 0; i < order_.size(); ++i) {
      const Submission& at = order_[i];
      Attributed& activity = At(at);
      if (cleared[i] != Direction::kNone) {
        activity.direction = cleared[i];
        continue;
      }
      if (is_backward_[i]) {
        phase = Direction::kBackward;
        if (recompute[i]) {
          activity.direction = Direction::kRecompute;
        } else if (!IsBackward(activity.direction)) {
          activity.direction = Direction::kBackward;
        }
      } else {
        phase = in_update[i]        ? Direction::kUpdate
                : begins_forward[i] ? Direction::kForward
                                    : PhaseAfter(phase, activity);
        if (IsTransposed(activity)) activity.direction = Direction::kForward;
      }
      Set(at, phase);
    }
  }

  // The phase in which `activity`, not of the backward pass, stands.
  static Direction PhaseAfter(Direction phase, const Attributed& activity) {
    if (activity.direction == Direction::kUpdate) return Direction::kUpdate;
    if (phase == Direction::kForward) return phase;
    const bool starts = activity.direction == Direction::kForward ||
                        StartsForward(activity.layer_class);
    return starts ? Direction::kForward : Direction::kUpdate;
  }

  // What lies between two of one direction has it. Between two updates may lie
  // a whole iteration whose work shows no direction; an update's own kernels go
  // over tensors element by element. What runs a graph updates some weights
  // while the backward pass goes on, and works out factors any time before.
  void DecideByNeighbours() {
    const bool runs_graph = MayHideItsBackward();
    plain_may_go_forward_ = runs_graph && AnyKernel(IsOfTensorFlow);
    Direction last = Direction::kNone;
    size_t first_open = 0;
    bool pointwise = true;
    for (size_t i = 0; i < order_.size(); ++i) {
      const Attributed& activity = At(order_[i]);
      const Direction own = SideOf(activity.direction);
      if (own == Direction::kNone) {
        pointwise &= IsPointwise(activity.layer_class);
        continue;
      }
      const bool known = own == last ? own != Direction::kUpdate || pointwise
                                     : HasEngineThreads(process_) &&
                                           last == Direction::kUpdate &&
                                           own == Direction::kBackward;
      SetAll(first_open, i, known ? own : Direction::kNone, runs_graph);
      Set(order_[i], own);
      last = own;
      first_open = i + 1;
      pointwise = true;
    }
    if (plain_may_go_forward_ && last == Direction::kBackward) {
      SetLastGradients(first_open);
    }
    SetAll(first_open, order_.size(), Direction::kNone, runs_graph);
  }

  void SetAll(size_t first, size_t end, Direction direction, bool runs_graph) {
    const bool backward = direction == Direction::kBackward;
    for (size_t i = first; i < end; ++i) {
      const bool may_update = IsPointwise(At(order_[i]).layer_class) &&
                              (backward || IsOneBlock(order_[i]));
      const bool may_go_forward =
          plain_may_go_forward_ && backward &&
          TransposesAnOperand(order_[i]) == std::optional(false);
      const bool open = runs_graph && (may_update || may_go_forward);
      Set(order_[i], open ? Direction::kNone : direction);
    }
  }

  // No backward work stands behind the last gradients of the run.
  void SetLastGradients(size_t first) {
    for (size_t i = first; i < order_.size(); ++i) {
      const std::optional<bool> transposes = TransposesAnOperand(order_[i]);
      if (!transposes) continue;
      if (!*transposes) return;
      Set(order_[i], Direction::kBackward);
    }
  }

  // TensorFlow's layers transpose no operand, the gradients of theirs do: the
  // others may be the forward pass of the next step, of which nothing else
  // tells the direction. None: it is no product.
  std::optional<bool> TransposesAnOperand(const Submission& at) {
    const CallId owner = At(at).owner;
    if (!owner.known()) return std::nullopt;
    const Call& call = process_.calls[owner.value()];
    const EntryPoint& entry = model_.entry_points[call.entry.value()];
    bool is_product = false;
    for (size_t i = 0; i < entry.args.size(); ++i) {
      const Meaning meaning = entry.args[i].meaning;
      if (meaning != Meaning::kTransposedA && meaning != Meaning::kTransposedB)
        continue;
      if (IntArg(entry, process_, call, i) != 0) return true;
      is_product = true;
    }
    return is_product ? std::optional(false) : std::nullopt;
  }

  bool IsOneBlock(const Submission& at) const {
    const LaunchShape shape =
        ShapeOf(process_, process_.activities[at.activity]);
    return shape.grid[0] == 1 && shape.grid[1] == 1 && shape.grid[2] == 1;
  }

  // A replayed kernel has the direction of the call that was captured.
  void FollowCaptures() {
    for (const Submission& at : order_) {
      Attributed& activity = At(at);
      if (!IsReplay(at) || !activity.owner.known()) continue;
      const auto it = captured_.find(activity.owner.value());
      if (it != captured_.end()) activity.direction = it->second;
    }
  }

  const TraceModel& model_;
  const Process& process_;
  const XlaPasses& xla_passes_;
  ProcessAttribution& attribution_;
  std::vector<Submission> order_;
  bool any_apart_ = false;         // missing in order_: threads that go forward
  std::vector<bool> is_autograd_;  // by thread
  std::vector<bool> is_backward_;  // by submission
  bool plain_may_go_forward_ = false;                // see TransposesAnOperand
  absl::flat_hash_map<size_t, Direction> captured_;  // by call
};

}  // namespace

void InferDirections(const TraceModel& model, const Process& process,
                     const XlaPasses& xla_passes,
                     ProcessAttribution& attribution) {
  DirectionPass(model, process, xla_passes, attribution).Run();
}

}  // namespace dltap::analyzer
