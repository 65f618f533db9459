// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layers/layer_finder.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/metrics/layers/backward_match.h"
#include "analyzer/metrics/layers/layer_names.h"
#include "analyzer/metrics/layers/layer_places.h"

namespace dltap::analyzer {
namespace {

// Units that a pass may be of gradients of. Behind more, where no step is
// known, all of the run would lie before it.
constexpr uint32_t kMostBefore = 4096;

using opmodel::Dim;
using opmodel::Operation;

// Forward operations that wait for their backward pass, where no step ends
// their time.
constexpr size_t kMostPending = 8192;

// Which gradient of `forward` a product is: it sums over the outputs for that
// of the input, over the rows for that of the weights. kNone: can't be told.
Direction GradientOf(const Operation& gradient, const Operation& forward,
                     bool is_blas) {
  const int64_t outputs = is_blas ? forward[Dim::kM] : forward[Dim::kN];
  const int64_t rows = is_blas ? forward[Dim::kN] : forward[Dim::kM];
  const int64_t sum = gradient[Dim::kK];
  if (outputs == rows || sum == 0) return Direction::kNone;
  if (sum == outputs) return Direction::kBackwardData;
  return sum == rows ? Direction::kBackwardWeight : Direction::kNone;
}

class Finder {
 public:
  Finder(const TraceModel& model, const Process& process,
         const ProcessAttribution& attribution, const Steps& steps)
      : model_(model),
        process_(process),
        attribution_(attribution),
        steps_(steps),
        found_(FindLayerUnits(model, process, attribution)),
        places_(process, found_.units),
        matcher_(model, process, attribution, found_.units),
        layer_of_(found_.units.size(), kNoLayer),
        match_of_(found_.units.size(), LayerMatch::kNone),
        is_glue_(found_.units.size(), false) {}

  ProcessLayers Run() {
    for (uint32_t u = 0; u < found_.units.size(); ++u) {
      const LayerUnit& unit = found_.units[u];
      const size_t step = StepAt(unit.at_ns);
      if (step != step_) {
        EndForward();
        EndBackward();
        pending_.clear();
        step_ = step;
        step_begin_ = u;
      }
      if (unit.side == UnitSide::kForward) {
        EndBackward();
        forward_.push_back(u);
      } else {
        EndForward();
        backward_.push_back(u);
      }
    }
    EndForward();
    EndBackward();
    return Describe();
  }

 private:
  size_t StepAt(int64_t at_ns) const {
    const auto& steps = steps_.steps;
    return std::upper_bound(steps.begin(), steps.end(), at_ns,
                            [](int64_t at, const Step& step) {
                              return at < step.begin_ns;
                            }) -
           steps.begin();
  }

  // `step_` counts from 1; 0 is what comes before the first step.
  bool IsUsed() const {
    return step_ > 0 && steps_.steps[step_ - 1].use == StepUse::kUsed;
  }

  void EndForward() {
    if (forward_.empty()) return;
    const std::vector<uint32_t> layers =
        places_.Place(forward_, step_, IsUsed());
    for (size_t i = 0; i < forward_.size(); ++i) {
      layer_of_[forward_[i]] = layers[i];
    }
    pending_.insert(pending_.end(), forward_.begin(), forward_.end());
    if (pending_.size() > kMostPending) {
      pending_.erase(pending_.begin(),
                     pending_.end() - static_cast<ptrdiff_t>(kMostPending));
    }
    forward_.clear();
  }

  void EndBackward() {
    if (backward_.empty()) return;
    std::vector<BackwardMatch> matches = matcher_.Match(pending_, backward_);
    LeftOpen open = matcher_.WhatIsOpen(backward_, matches);
    if (open == LeftOpen::kMuch && IsFirstPass()) open = LeftOpen::kLittle;
    const bool in_no_step =
        step_ == 0 && backward_.front() - step_begin_ > kMostBefore;
    if (open != LeftOpen::kNothing && !in_no_step) {
      MatchPassByPass(open, matches);
    } else {
      for (size_t i = 0; i < backward_.size(); ++i) {
        Keep(backward_[i], matches[i]);
      }
    }
    absl::flat_hash_set<uint32_t> done;
    for (const BackwardMatch& match : matches) {
      if (!match.recomputes) done.insert(match.forward);
    }
    std::erase_if(pending_,
                  [&done](uint32_t forward) { return done.contains(forward); });
    backward_.clear();
  }

  // Whether nothing of the step had a gradient before.
  bool IsFirstPass() const {
    return pending_.size() == backward_.front() - step_begin_ &&
           std::none_of(
               backward_.begin() + 1, backward_.end(),
               [this](uint32_t u) { return found_.units[u].after_update; });
  }

  // Passes with no forward work between, of which the later ones may be
  // gradients of the earlier ones.
  void MatchPassByPass(LeftOpen open, std::vector<BackwardMatch>& matches) {
    const uint32_t front = backward_.front();
    std::vector<uint32_t> history(std::min(front - step_begin_, kMostBefore));
    std::iota(history.begin(), history.end(),
              front - static_cast<uint32_t>(history.size()));
    const auto is_begin = [this](size_t i) {
      return found_.units[backward_[i]].after_update;
    };
    for (size_t i = 0; i < backward_.size();) {
      size_t end = i + 1;
      while (end < backward_.size() && !is_begin(end)) ++end;
      const auto at = static_cast<ptrdiff_t>(i);
      const auto behind = static_cast<ptrdiff_t>(end);
      const std::vector<uint32_t> pass(backward_.begin() + at,
                                       backward_.begin() + behind);
      const std::vector<BackwardMatch> better = matcher_.MatchInStep(
          history, pass, layer_of_, open,
          {matches.begin() + at, matches.begin() + behind});
      std::copy(better.begin(), better.end(), matches.begin() + at);
      for (; i < end; ++i) Keep(backward_[i], matches[i]);
      history.insert(history.end(), pass.begin(), pass.end());
    }
  }

  void Keep(uint32_t u, const BackwardMatch& match) {
    if (match.forward == kNoUnit) return;
    layer_of_[u] = layer_of_[match.forward];
    match_of_[u] = match.by;
    is_glue_[u] = match.is_glue;
    const auto it = forward_of_.find(match.forward);
    const uint32_t forward =
        it == forward_of_.end() ? match.forward : it->second;
    forward_of_[u] = forward;
  }

  ProcessLayers Describe() const {
    ProcessLayers out;
    std::vector<uint32_t> place(places_.size());
    std::map<LayerIdentity, uint64_t> equal;
    for (const uint32_t layer : places_.order()) {
      place[layer] = static_cast<uint32_t>(out.layers.size());
      LayerIdentity identity = IdentityOf(layer);
      identity.number = equal[identity]++;
      out.layers.push_back(std::move(identity));
    }
    out.of_activity.resize(process_.activities.size());
    for (size_t i = 0; i < out.of_activity.size(); ++i) {
      LayerOfActivity& at = out.of_activity[i];
      at.row = found_.row_of[i];
      at.direction = attribution_.activities[i].direction;
      const uint32_t u = found_.unit_of[i];
      if (at.row != LayerRow::kLayer) continue;
      if (u == kNoUnit || layer_of_[u] == kNoLayer) {
        at.row = LayerRow::kNoLayer;
        continue;
      }
      at.layer = place[layer_of_[u]];
      Fill(i, u, at);
    }
    return out;
  }

  // Batched products are of activations.
  bool HasWeight(const LayerUnit& unit) const {
    if (!IsLayerProduct(unit.layer_class)) return false;
    if (unit.layer_class == LayerClass::kAttention) return false;
    const WorkId work = attribution_.activities[unit.lead].work;
    return !work.known() || attribution_.KindOf(work).leading[Dim::kBatch] <= 1;
  }

  // Copies have no direction of their own: they have that of their unit.
  void Fill(size_t i, uint32_t u, LayerOfActivity& at) const {
    const LayerUnit& unit = found_.units[u];
    at.match = match_of_[u];
    at.is_glue = found_.is_glue[i] || is_glue_[u];
    at.begins_call = unit.side == UnitSide::kForward && unit.lead == i;
    at.has_weight = at.begins_call && HasWeight(unit);
    at.knows_weight =
        at.has_weight && (unit.weight() != 0 || unit.module.known());
    if (unit.side == UnitSide::kRecompute) {
      at.direction = Direction::kRecompute;
    } else if (unit.side == UnitSide::kBackward && !IsBackward(at.direction)) {
      at.direction = Direction::kBackward;
    } else if (unit.side == UnitSide::kForward && unit.lead != i &&
               IsCopyOrMemset(attribution_.activities[i].layer_class)) {
      at.direction = attribution_.activities[unit.lead].direction;
    }
    if (at.direction != Direction::kBackward) return;
    const WorkId work = attribution_.activities[i].work;
    const auto forward = forward_of_.find(u);
    if (!work.known() || forward == forward_of_.end()) return;
    const WorkId of_forward =
        attribution_.activities[found_.units[forward->second].lead].work;
    if (!of_forward.known()) return;
    const Work& gradient = attribution_.works[work.value()];
    const Direction which = GradientOf(attribution_.KindOf(gradient).leading,
                                       attribution_.KindOf(of_forward).leading,
                                       gradient.call.known());
    if (unit.layer_class == LayerClass::kGemm && which != Direction::kNone) {
      at.direction = which;
    }
  }

  LayerIdentity IdentityOf(uint32_t layer) const {
    const LayerUnit& unit = found_.units[places_.FirstUnitOf(layer)];
    LayerIdentity identity;
    identity.layer_class = unit.layer_class;
    identity.operation =
        LayerOperation(model_, process_, attribution_, unit.lead);
    const RangeId named = unit.module.known() ? unit.module : unit.label;
    if (named.known()) {
      identity.module =
          ModuleName(model_.texts[process_.ranges[named.value()].name]);
    }
    return identity;
  }

  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  const Steps& steps_;
  const LayerUnits found_;
  LayerPlaces places_;
  BackwardMatcher matcher_;
  size_t step_ = 0;
  uint32_t step_begin_ = 0;         // unit
  std::vector<uint32_t> forward_;   // the pass that is going on
  std::vector<uint32_t> backward_;  // the same
  std::vector<uint32_t> pending_;   // forward units of the step, not matched
  std::vector<uint32_t> layer_of_;  // by unit
  std::vector<LayerMatch> match_of_;
  std::vector<bool> is_glue_;                           // all of a unit
  absl::flat_hash_map<uint32_t, uint32_t> forward_of_;  // backward units
};

}  // namespace

ProcessLayers FindLayers(const TraceModel& model, const Process& process,
                         const ProcessAttribution& attribution,
                         const Steps& steps) {
  return Finder(model, process, attribution, steps).Run();
}

ProcessLayers UnitedLayers(
    const std::vector<ProcessLayers>& layers,
    const std::vector<std::pair<size_t, size_t>>& origins) {
  ProcessLayers out;
  std::vector<uint32_t> first;  // layer of each process
  for (const ProcessLayers& of_process : layers) {
    first.push_back(static_cast<uint32_t>(out.layers.size()));
    out.layers.insert(out.layers.end(), of_process.layers.begin(),
                      of_process.layers.end());
  }
  for (const auto& [process, activity] : origins) {
    LayerOfActivity at = layers[process].of_activity[activity];
    if (at.row == LayerRow::kLayer) at.layer += first[process];
    out.of_activity.push_back(at);
  }
  return out;
}

}  // namespace dltap::analyzer
