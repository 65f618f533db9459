// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/attribution/meaning_cache.h"
#include "analyzer/metrics/memory_owners.h"
#include "analyzer/metrics/operands.h"

namespace dltap::analyzer {
namespace {

constexpr double kNearlyAllSteps = 0.9;
constexpr size_t kLeastSteps = 2;

// How far through a step a call stands.
enum class Pass : uint8_t { kForward, kRecompute, kBackward, kUpdate };

Pass PassOf(Direction direction) {
  if (direction == Direction::kUpdate) return Pass::kUpdate;
  if (direction == Direction::kRecompute) return Pass::kRecompute;
  return IsBackward(direction) ? Pass::kBackward : Pass::kForward;
}

// A call with operands.
struct Touch {
  int64_t begin_ns;
  int64_t end_ns;
  Pass pass;
  bool is_product;  // of two matrices, not batched
  size_t step;      // of the used ones
  DeviceId device;
  std::vector<Operand> operands;

  const Operand* Find(Meaning role) const {
    for (const Operand& operand : operands) {
      if (operand.role == role) return &operand;
    }
    return nullptr;
  }
};

using Place = std::pair<uint64_t, int64_t>;  // address, bytes

Place PlaceOf(const Operand& operand) {
  return {operand.address, operand.bytes};
}

// In how many steps something was seen; steps come in order.
struct Seen {
  size_t steps = 0;
  size_t last = 0;

  void In(size_t step) {
    if (steps > 0 && last == step) return;
    ++steps;
    last = step;
  }
};

class OperandJudge {
 public:
  OperandJudge(const TraceModel& model, const Process& process,
               const ProcessAttribution& attribution, const Steps& steps)
      : model_(model), process_(process), attribution_(attribution) {
    for (const Step& step : steps.steps) {
      if (step.use == StepUse::kUsed) steps_.push_back(step);
    }
  }

  std::vector<OwnedRange> Run() {
    if (steps_.size() < kLeastSteps) return {};
    FindTouches();
    FindWeights();
    for (size_t i = 0; i < touches_.size();) {
      size_t end = i;
      while (end < touches_.size() && touches_[end].step == touches_[i].step) {
        ++end;
      }
      JudgeStep(i, end);
      i = end;
    }
    return std::move(out_);
  }

 private:
  // One tensor's stay at its place.
  struct Stay {
    int64_t begin_ns;
    int64_t end_ns;
    Pass first;
    Pass last;
    MemoryOwner owner;  // kUnknown: first and last tell
    DeviceId device;
  };

  // The calls that put work on a device themselves, not by a captured graph.
  void FindTouches() {
    MeaningCache meanings(model_, process_);
    std::vector<bool> seen(process_.calls.size());
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      const Attributed& attributed = attribution_.activities[i];
      const CallId id = attributed.owner;
      if (!id.known() || id != attributed.submitted_by || seen[id.value()]) {
        continue;
      }
      seen[id.value()] = true;
      AddTouch(id, attributed, process_.activities[i].device, meanings);
    }
    std::stable_sort(
        touches_.begin(), touches_.end(),
        [](const Touch& a, const Touch& b) { return a.begin_ns < b.begin_ns; });
  }

  void AddTouch(CallId id, const Attributed& attributed, DeviceId device,
                MeaningCache& meanings) {
    if (attributed.autotune) return;
    const Call& call = process_.calls[id.value()];
    const auto after = std::upper_bound(
        steps_.begin(), steps_.end(), call.begin_ns,
        [](int64_t ns, const Step& step) { return ns < step.begin_ns; });
    if (after == steps_.begin() || call.begin_ns >= (after - 1)->end_ns) return;
    const auto& meaning = meanings.Of(id);
    std::vector<Operand> operands =
        OperandsOf(model_, process_, call, meaning ? &*meaning : nullptr);
    if (operands.empty()) return;
    const bool is_product = meaning &&
                            meaning->leading.kind == opmodel::OpKind::kGemm &&
                            meaning->leading[opmodel::Dim::kBatch] == 1;
    touches_.push_back({call.begin_ns, call.end_ns,
                        PassOf(attributed.direction), is_product,
                        static_cast<size_t>(after - 1 - steps_.begin()), device,
                        std::move(operands)});
  }

  bool InNearlyAll(const Seen& seen) const {
    return static_cast<double>(seen.steps) >=
           kNearlyAllSteps * static_cast<double>(steps_.size());
  }

  // Read by products of the forward pass at one place in nearly all steps, and
  // written by no call: of two such operands the first, which is where
  // libraries of row-major matrices put the weights.
  void FindWeights() {
    std::map<Place, Seen> firsts;
    std::map<Place, Seen> seconds;
    std::map<Place, Seen> workspaces;
    for (const Touch& touch : touches_) {
      const bool is_forward =
          touch.is_product && touch.pass <= Pass::kRecompute;
      for (const Operand& operand : touch.operands) {
        const Place place = PlaceOf(operand);
        if (operand.use == OperandUse::kWeight) AddWeight(place, touch);
        if (operand.use == OperandUse::kWorkspace) {
          workspaces[place].In(touch.step);
        }
        if (!is_forward) continue;
        if (operand.role == Meaning::kPointerA) firsts[place].In(touch.step);
        if (operand.role == Meaning::kPointerB) seconds[place].In(touch.step);
      }
    }
    FindWritten();
    const auto stays = [&](const std::map<Place, Seen>& seen, Place place) {
      const auto found = seen.find(place);
      return found != seen.end() && InNearlyAll(found->second) &&
             !IsWritten(place);
    };
    for (const Touch& touch : touches_) {
      if (!touch.is_product || touch.pass > Pass::kRecompute) continue;
      const Operand* first = touch.Find(Meaning::kPointerA);
      const Operand* second = touch.Find(Meaning::kPointerB);
      if (first != nullptr && stays(firsts, PlaceOf(*first))) {
        AddWeight(PlaceOf(*first), touch);
      } else if (second != nullptr && stays(seconds, PlaceOf(*second))) {
        AddWeight(PlaceOf(*second), touch);
      }
    }
    AddLasting(workspaces);
  }

  void AddWeight(Place place, const Touch& touch) {
    if (!weights_.insert(place).second) return;
    ++weights_of_size_[place.second];
    AddForAllSteps(place, MemoryOwner::kWeights, touch.device);
  }

  void AddLasting(const std::map<Place, Seen>& workspaces) {
    for (const Touch& touch : touches_) {
      for (const Operand& operand : touch.operands) {
        if (operand.use != OperandUse::kWorkspace) continue;
        const Place place = PlaceOf(operand);
        if (!InNearlyAll(workspaces.at(place))) continue;
        if (!lasting_.insert(place).second) continue;
        AddForAllSteps(place, MemoryOwner::kWorkspace, touch.device);
      }
    }
  }

  void AddForAllSteps(Place place, MemoryOwner owner, DeviceId device) {
    out_.push_back({place.first, place.second, steps_.front().begin_ns,
                    steps_.back().end_ns, owner, device});
  }

  // What calls of the steps write, but for updates: sorted, disjoint.
  void FindWritten() {
    std::vector<Place> places;
    for (const Touch& touch : touches_) {
      if (touch.pass == Pass::kUpdate) continue;
      for (const Operand& operand : touch.operands) {
        const bool writes = operand.use == OperandUse::kWrite ||
                            operand.use == OperandUse::kWeightGradient;
        if (writes) places.push_back(PlaceOf(operand));
      }
    }
    std::sort(places.begin(), places.end());
    for (const auto& [begin, bytes] : places) {
      const uint64_t end = begin + static_cast<uint64_t>(bytes);
      if (!written_.empty() && begin <= written_.back().second) {
        written_.back().second = std::max(written_.back().second, end);
      } else {
        written_.emplace_back(begin, end);
      }
    }
  }

  bool IsWritten(Place place) const {
    const uint64_t end = place.first + static_cast<uint64_t>(place.second);
    const auto after = std::lower_bound(
        written_.begin(), written_.end(), end,
        [](const auto& span, uint64_t at) { return span.first < at; });
    return after != written_.begin() && (after - 1)->second > place.first;
  }

  // A product of the backward pass that reads no weights makes the gradient of
  // some; one that reads them goes on to the layer before.
  bool MakesGradient(const Touch& touch, const Operand& operand) const {
    if (operand.use == OperandUse::kWeightGradient) return true;
    if (operand.use != OperandUse::kWrite) return false;
    if (!touch.is_product || touch.pass != Pass::kBackward) return false;
    const bool reads_weights = std::any_of(
        touch.operands.begin(), touch.operands.end(),
        [&](const Operand& read) { return weights_.contains(PlaceOf(read)); });
    return !reads_weights;
  }

  MemoryOwner KnownOwner(const Touch& touch, const Operand& operand) const {
    if (operand.use == OperandUse::kComm) return MemoryOwner::kComm;
    if (operand.use == OperandUse::kWorkspace) return MemoryOwner::kWorkspace;
    return MakesGradient(touch, operand) ? MemoryOwner::kGradients
                                         : MemoryOwner::kUnknown;
  }

  void JudgeStep(size_t first, size_t end) {
    for (size_t i = first; i < end; ++i) {
      const Touch& touch = touches_[i];
      for (const Operand& operand : touch.operands) {
        const Place place = PlaceOf(operand);
        if (weights_.contains(place) || lasting_.contains(place)) continue;
        AddStay(touch, operand);
      }
    }
    const int64_t step_end_ns = steps_[touches_[first].step].end_ns;
    for (const auto& [place, stay] : stays_) Close(place, stay, step_end_ns);
    stays_.clear();
    gradients_of_size_.clear();
  }

  // What comes after the gradients of all weights of a size is added to them.
  bool IsOneMore(int64_t bytes) {
    const auto weights = weights_of_size_.find(bytes);
    if (weights == weights_of_size_.end()) return true;
    return ++gradients_of_size_[bytes] > weights->second;
  }

  void AddStay(const Touch& touch, const Operand& operand) {
    const Place place = PlaceOf(operand);
    const MemoryOwner owner = KnownOwner(touch, operand);
    const bool begins_anew =
        operand.use == OperandUse::kWrite && owner != MemoryOwner::kGradients;
    if (begins_anew) {  // what was here is gone
      auto old = stays_.lower_bound({place.first, 0});
      while (old != stays_.end() && old->first.first == place.first) {
        Close(old->first, old->second, touch.begin_ns);
        old = stays_.erase(old);
      }
    }
    const auto [at, is_new] =
        stays_.try_emplace(place, Stay{touch.begin_ns, touch.end_ns, touch.pass,
                                       touch.pass, owner, touch.device});
    if (is_new && owner == MemoryOwner::kGradients && IsOneMore(place.second)) {
      at->second.owner = MemoryOwner::kDynamic;
    }
    if (is_new) return;
    at->second.end_ns = std::max(at->second.end_ns, touch.end_ns);
    at->second.last = std::max(at->second.last, touch.pass);
    if (at->second.owner == MemoryOwner::kUnknown) at->second.owner = owner;
  }

  void Close(Place place, const Stay& stay, int64_t end_ns) {
    OwnedRange range{place.first, place.second, stay.begin_ns,
                     stay.end_ns, stay.owner,   stay.device};
    if (stay.owner == MemoryOwner::kGradients) {
      range.end_ns = end_ns;  // for the update, which is no library call
    } else if (stay.owner == MemoryOwner::kUnknown) {
      const bool kept = stay.first < Pass::kBackward && stay.last > stay.first;
      range.owner = kept ? MemoryOwner::kFeatureMaps : MemoryOwner::kDynamic;
    }
    out_.push_back(range);
  }

  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  std::vector<Step> steps_;  // used
  std::vector<Touch> touches_;
  std::set<Place> weights_;
  std::map<int64_t, int> weights_of_size_;
  std::map<int64_t, int> gradients_of_size_;  // of the step
  std::set<Place> lasting_;                   // workspaces
  std::vector<std::pair<uint64_t, uint64_t>> written_;
  std::map<Place, Stay> stays_;  // of the step
  std::vector<OwnedRange> out_;
};

}  // namespace

std::vector<OwnedRange> OperandOwners(const TraceModel& model,
                                      const Process& process,
                                      const ProcessAttribution& attribution,
                                      const Steps& steps) {
  return OperandJudge(model, process, attribution, steps).Run();
}

}  // namespace dltap::analyzer
