// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/direction/clamps.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/base/launch_shape.h"
#include "analyzer/attribution/names/name_rules.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kCompares = 2;  // kernels from a comparison to its selection

enum class Part : uint8_t {
  kOther,
  kClamp,
  kReluGradient,
  kCompares,
  kSelects,
  kSum,
  kOfPositive,  // a root or a logarithm
};

Part PartOfName(std::string_view path) {
  const auto has = [path](std::string_view part) {
    return path.find(part) != std::string_view::npos;
  };
  if (has("launch_clamp_scalar") || has("clamp_min_kernel")) {
    return Part::kClamp;
  }
  if (has("threshold_kernel") || has("hardtanh_backward")) {
    return Part::kReluGradient;
  }
  if (has("compare_scalar_kernel") || has("logical_and_kernel")) {
    return Part::kCompares;
  }
  if (has("where_kernel")) return Part::kSelects;
  // Of two tensors, of a tensor and a number, from a number (a hinge).
  if (has("Functor_add") || has("FunctorOnSelf_add") ||
      has("FunctorOnOther_add") || has("_add_") || has("indexFunc") ||
      has("scatter") || has("upsample")) {
    return Part::kSum;
  }
  if (has("sqrt_kernel") || has("log_kernel") || has("log2_kernel") ||
      has("log10_kernel")) {
    return Part::kOfPositive;
  }
  return Part::kOther;
}

class ClampPass {
 public:
  ClampPass(const TraceModel& model, const Process& process,
            ProcessAttribution& attribution)
      : model_(model), process_(process), attribution_(attribution) {}

  void Run(const std::vector<Submission>& order) {
    if (!AnyClamp()) return;
    for (const Submission& at : order) Take(at.activity);
    SettlePass();
    for (const Clamp& clamp : clamps_) {
      if (IsActivation(clamp)) continue;
      attribution_.activities[clamp.activity].layer_class =
          LayerClass::kElementwise;
    }
  }

 private:
  using Place = std::pair<TextId, TextId>;  // its name, and the kernel's before

  struct Clamp {
    size_t activity;
    TextId name;
    TextId follows;
    bool of_layer;  // follows a layer, or a sum that follows one
    bool guards;    // a root or a logarithm takes it
    int vote;       // of its own gradient; 0: none
  };

  struct Gradient {
    std::array<uint32_t, 3> grid;
    int vote;  // 1: of a relu; -1: of a clamp
  };

  bool IsActivation(const Clamp& clamp) const {
    if (clamp.vote != 0) return clamp.vote > 0;
    if (clamp.guards) return false;
    const auto votes = votes_.find(Place{clamp.name, clamp.follows});
    if (votes == votes_.end() || votes->second == 0) return clamp.of_layer;
    return votes->second > 0;
  }

  bool AnyClamp() {
    return std::ranges::any_of(process_.activities, [this](const Activity& a) {
      return a.kind == ActivityKind::kKernel && PartOf(a.name) == Part::kClamp;
    });
  }

  Part PartOf(TextId name) {
    if (!name.known()) return Part::kOther;
    const auto [it, is_new] = parts_.try_emplace(name.value());
    if (is_new) {
      it->second = PartOfName(KernelPath(Demangle(model_.texts[name])));
    }
    return it->second;
  }

  void Take(size_t i) {
    const Activity& activity = process_.activities[i];
    if (activity.kind != ActivityKind::kKernel) return;
    const Attributed& at = attribution_.activities[i];
    const Part part = PartOf(activity.name);
    if (BeginsBehindGradients(at)) of_layer_ = false;
    if (at.direction == Direction::kUpdate) {
      SettlePass();
      TakeInUpdate(i, part);
    } else if (part == Part::kClamp) {
      TakeClamp(i);
    } else if (part == Part::kOfPositive) {
      TakeOfPositive();
    } else if (IsBackward(at.direction)) {
      TakeGradient(i, part);
    }
    if (at.layer_class == LayerClass::kLayout ||
        at.layer_class == LayerClass::kDropout) {
      return;
    }
    const bool passes_on = part == Part::kSum || part == Part::kClamp;
    of_layer_ = IsOfALayer(at.layer_class) || (passes_on && of_layer_);
    before_ = i;
  }

  // What a backward pass leaves is a gradient, whatever layer gave it.
  bool BeginsBehindGradients(const Attributed& at) const {
    return at.direction == Direction::kForward && before_ &&
           IsBackward(attribution_.activities[*before_].direction);
  }

  bool MayBeActivation(size_t i) const {
    const Attributed& at = attribution_.activities[i];
    return at.layer_class == LayerClass::kActivation &&
           at.class_from == ClassFrom::kKernelName;
  }

  void TakeInUpdate(size_t i, Part part) {
    if (part != Part::kClamp || !MayBeActivation(i)) return;
    attribution_.activities[i].layer_class = LayerClass::kElementwise;
  }

  void TakeClamp(size_t i) {
    if (!MayBeActivation(i)) return;
    if (attribution_.activities[i].direction == Direction::kForward &&
        !gradients_.empty()) {
      SettlePass();
    }
    Clamp clamp{i, process_.activities[i].name, TextId(), of_layer_, false, 0};
    if (before_) clamp.follows = process_.activities[*before_].name;
    open_.push_back(clamps_.size());
    clamps_.push_back(clamp);
  }

  void TakeOfPositive() {
    if (open_.empty() || clamps_.back().activity != before_) return;
    clamps_.back().of_layer = false;
    clamps_.back().guards = true;
  }

  void TakeGradient(size_t i, Part part) {
    const auto grid = ShapeOf(process_, process_.activities[i]).grid;
    if (part == Part::kReluGradient) gradients_.push_back({grid, 1});
    if (part == Part::kSelects && since_compare_ < kCompares) {
      gradients_.push_back({grid, -1});
    }
    since_compare_ = part == Part::kCompares ? 0 : since_compare_ + 1;
  }

  // Gives each gradient of a pass its clamp. Where some clamps have none, they
  // are those that follow no layer, if the others may be what they are of.
  void SettlePass() {
    if (open_.size() != gradients_.size()) {
      std::vector<size_t> of_layers;
      std::ranges::copy_if(open_, std::back_inserter(of_layers),
                           [this](size_t i) { return clamps_[i].of_layer; });
      if (AreOf(of_layers)) open_ = std::move(of_layers);
    }
    const bool all = open_.size() == gradients_.size();
    for (const Gradient& gradient : gradients_) {
      if (open_.empty()) break;
      auto it = open_.rbegin();
      if (!all) it = LastLike(gradient);
      Clamp& clamp = clamps_[*it];
      clamp.vote = gradient.vote;
      votes_[Place{clamp.name, clamp.follows}] += gradient.vote;
      open_.erase(std::next(it).base());
    }
    open_.clear();
    gradients_.clear();
  }

  // Whether the gradients, which come in reverse, may be of `clamps`: as many
  // and all of relus, or of the same grids.
  bool AreOf(const std::vector<size_t>& clamps) const {
    const auto is_relu = [](const Gradient& each) { return each.vote > 0; };
    if (std::ranges::all_of(gradients_, is_relu)) {
      return clamps.size() == gradients_.size();
    }
    return std::ranges::equal(
        clamps.rbegin(), clamps.rend(), gradients_.begin(), gradients_.end(),
        [this](size_t i, const Gradient& gradient) {
          const Activity& at = process_.activities[clamps_[i].activity];
          return ShapeOf(process_, at).grid == gradient.grid;
        });
  }

  // The last one of the gradient's grid; a relu follows a layer, if any does.
  std::vector<size_t>::reverse_iterator LastLike(const Gradient& gradient) {
    const auto like = [&](size_t i, bool of_layer) {
      const Clamp& clamp = clamps_[i];
      const Activity& at = process_.activities[clamp.activity];
      return clamp.of_layer >= of_layer &&
             ShapeOf(process_, at).grid == gradient.grid;
    };
    for (const bool of_layer : {gradient.vote > 0, false}) {
      const auto it = std::find_if(open_.rbegin(), open_.rend(),
                                   [&](size_t i) { return like(i, of_layer); });
      if (it != open_.rend()) return it;
    }
    return open_.rbegin();
  }

  const TraceModel& model_;
  const Process& process_;
  ProcessAttribution& attribution_;
  absl::flat_hash_map<size_t, Part> parts_;  // by name
  std::vector<Clamp> clamps_;
  std::vector<size_t> open_;  // of these, of the pass looked at
  std::vector<Gradient> gradients_;
  absl::flat_hash_map<Place, int> votes_;
  std::optional<size_t> before_;  // the kernel before, but copies
  // Gave what a layer or a sum or clamp of such did; the first may have.
  bool of_layer_ = true;
  size_t since_compare_ = kCompares;  // kernels of the backward pass
};

}  // namespace

void SettleClamps(const TraceModel& model, const Process& process,
                  const std::vector<Submission>& order,
                  ProcessAttribution& attribution) {
  ClampPass(model, process, attribution).Run(order);
}

}  // namespace dltap::analyzer
