// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analyzer/metrics/memory/memory_owners.h"
#include "analyzer/metrics/memory/staying_places.h"
#include "analyzer/metrics/operands/cast_weights.h"
#include "analyzer/metrics/operands/operand_touches.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
constexpr int64_t kLast = std::numeric_limits<int64_t>::max();

std::vector<Step> UsedSteps(const Steps& steps) {
  std::vector<Step> used;
  for (const Step& step : steps.steps) {
    if (step.use == StepUse::kUsed) used.push_back(step);
  }
  return used;
}

// The step around a time, or what lies between two steps.
Interval SegmentAround(const Steps& steps, int64_t at_ns) {
  const auto after = std::upper_bound(
      steps.steps.begin(), steps.steps.end(), at_ns,
      [](int64_t ns, const Step& step) { return ns < step.begin_ns; });
  Interval segment{kFirst, kLast};
  if (after != steps.steps.end()) segment.end_ns = after->begin_ns;
  if (after == steps.steps.begin()) return segment;
  const Step& before = *(after - 1);
  if (at_ns < before.end_ns) return {before.begin_ns, before.end_ns};
  // A step whose end nothing shows may go on.
  segment.begin_ns = before.end_known ? before.end_ns : before.begin_ns;
  return segment;
}

class OperandJudge {
 public:
  OperandJudge(const TraceModel& model, const Process& process,
               const ProcessAttribution& attribution, const Steps& steps,
               DeviceId device, const std::vector<MemoryBlock>& blocks,
               const std::vector<int64_t>& instants)
      : model_(model),
        process_(process),
        steps_(steps),
        device_(device),
        blocks_(blocks),
        instants_(instants),
        touches_(model, process, attribution, device),
        used_(UsedSteps(steps)),
        staying_(FindStayingPlaces(
            touches_, FindMadeTensors(model, process, attribution, device),
            used_)),
        out_(instants.size()) {
    for (const Place& place : staying_.weights) {
      ++weights_of_size_[place.second];
    }
  }

  std::vector<std::vector<OwnedRange>> Run() {
    AddStaying();
    AddUnplaced();
    AddSetWorkspaces();
    for (size_t i = 0; i < instants_.size();) {
      const Interval segment = SegmentAround(steps_, instants_[i]);
      size_t end = i;
      while (end < instants_.size() && instants_[end] < segment.end_ns) ++end;
      Judge(segment, i, std::max(end, i + 1));
      i = std::max(end, i + 1);
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
  };

  void Put(size_t instant, Place place, MemoryOwner owner) {
    const int64_t at_ns = instants_[instant];
    out_[instant].push_back(
        {place.first, place.second, at_ns, at_ns + 1, owner, device_});
  }

  // What stays is there from the first used step on; before, if some call has
  // touched it.
  void AddStaying() {
    const int64_t from_ns = used_.empty() ? kLast : used_.front().begin_ns;
    size_t i = 0;
    std::set<Place> touched;
    const auto put_before = [&](int64_t ns) {
      for (; i < instants_.size() && instants_[i] < ns; ++i) {
        for (const Place& place : touched) Put(i, place, OwnerOf(place));
      }
    };
    if (!instants_.empty() && instants_.front() < from_ns) {
      touches_.Visit({kFirst, std::min(from_ns, instants_.back())},
                     [&](const Touch& touch) {
                       put_before(touch.begin_ns);
                       for (const Operand& operand : touch.operands) {
                         const Place place = PlaceOf(operand);
                         if (Stays(place)) touched.insert(place);
                       }
                     });
      put_before(from_ns);
    }
    for (; i < instants_.size(); ++i) {
      for (const Place& place : staying_.weights) {
        Put(i, place, MemoryOwner::kWeights);
      }
      for (const Place& place : staying_.workspaces) {
        Put(i, place, MemoryOwner::kWorkspace);
      }
    }
  }

  // Before the first step nothing says that they are there.
  void AddUnplaced() {
    if (staying_.unplaced_weight_bytes == 0) return;
    for (size_t i = 0; i < instants_.size(); ++i) {
      if (instants_[i] < steps_.steps.front().begin_ns) continue;
      Put(i, {0, staying_.unplaced_weight_bytes}, MemoryOwner::kWeights);
    }
  }

  bool Stays(Place place) const {
    return staying_.weights.contains(place) ||
           staying_.workspaces.contains(place);
  }

  MemoryOwner OwnerOf(Place staying) const {
    return staying_.weights.contains(staying) ? MemoryOwner::kWeights
                                              : MemoryOwner::kWorkspace;
  }

  // Memory that a program gave to a library's handle.
  void AddSetWorkspaces() {
    std::vector<bool> sets;
    for (const EntryPoint& entry : model_.entry_points) {
      const bool is_setter = entry.info != nullptr && !entry.info->layer_class;
      sets.push_back(is_setter && WorkspaceArgs(entry).has_value());
    }
    std::map<Place, int64_t> given;  // when first
    for (const Call& call : process_.calls) {
      if (!sets[call.entry.value()] || call.failed) continue;
      const EntryPoint& entry = model_.entry_points[call.entry.value()];
      const auto args = *WorkspaceArgs(entry);
      const auto address = IntArg(entry, process_, call, args.first);
      const auto bytes = IntArg(entry, process_, call, args.second);
      if (address.value_or(0) == 0 || bytes.value_or(0) <= 0) continue;
      const Place place{static_cast<uint64_t>(*address), *bytes};
      const auto at = given.try_emplace(place, call.end_ns).first;
      at->second = std::min(at->second, call.end_ns);
    }
    for (const auto& [place, since_ns] : given) {
      for (size_t i = 0; i < instants_.size(); ++i) {
        if (since_ns > instants_[i]) continue;
        Put(i, place, MemoryOwner::kWorkspace);
      }
    }
  }

  // The positions of its address and of its size.
  static std::optional<std::pair<size_t, size_t>> WorkspaceArgs(
      const EntryPoint& entry) {
    std::optional<size_t> address;
    std::optional<size_t> bytes;
    for (size_t i = 0; i < entry.args.size(); ++i) {
      if (entry.args[i].meaning == Meaning::kPointerWorkspace) address = i;
      if (entry.args[i].name == "workspaceSizeInBytes") bytes = i;
    }
    if (!address || !bytes) return std::nullopt;
    return std::pair(*address, *bytes);
  }

  // The instants [first, end) lie in the segment.
  void Judge(Interval segment, size_t first, size_t end) {
    first_ = first;
    end_ = end;
    gradients_of_size_.clear();
    unplaced_of_size_.clear();
    unplaced_gradients_.clear();
    FindFresh(segment);
    touches_.Visit(segment, [&](const Touch& touch) {
      if (touch.unplaced) AddUnplacedGradient(touch, *touch.unplaced);
      for (const Operand& operand : touch.operands) {
        AddUnplacedGradient(touch, operand);
        const Place place = PlaceOf(operand);
        if (!Stays(place)) AddStay(touch, operand);
      }
    });
    PutUnplacedGradients();
    for (const auto& [place, stay] : stays_) {
      Close(place, stay, segment.end_ns);
    }
    stays_.clear();
  }

  // The gradient of a weight that is cast is cast back, to where no call tells;
  // so is that which a graph of cuDNN makes.
  void AddUnplacedGradient(const Touch& touch, const Operand& operand) {
    if (!MakesGradient(touch, operand)) return;
    const auto of_cast = staying_.casts_of_size.find(operand.bytes);
    const auto of_graph = staying_.unplaced_of_size.find(operand.bytes);
    size_t& n = unplaced_of_size_[operand.bytes];
    if (of_cast != staying_.casts_of_size.end() && operand.bits == kCastBits) {
      if (n++ >= of_cast->second) return;
      unplaced_gradients_[touch.end_ns] += kMasterOfCast * operand.bytes;
    } else if (of_graph != staying_.unplaced_of_size.end()) {
      if (operand.address != 0 || n++ >= of_graph->second) return;
      unplaced_gradients_[touch.end_ns] += operand.bytes;
    }
  }

  // For the update, which is no library call.
  void PutUnplacedGradients() {
    for (size_t i = first_; i < end_; ++i) {
      int64_t bytes = 0;
      for (const auto& [since_ns, n] : unplaced_gradients_) {
        if (since_ns <= instants_[i]) bytes += n;
      }
      if (bytes > 0) Put(i, {0, bytes}, MemoryOwner::kGradients);
    }
  }

  // Blocks taken in the segment that are held at an instant of it.
  void FindFresh(Interval segment) {
    fresh_.clear();
    auto block = std::lower_bound(
        blocks_.begin(), blocks_.end(), segment.begin_ns,
        [](const MemoryBlock& at, int64_t ns) { return at.begin_ns < ns; });
    for (; block != blocks_.end() && block->begin_ns <= instants_[end_ - 1];
         ++block) {
      if (block->address == 0) continue;
      const auto next =
          std::lower_bound(instants_.begin(), instants_.end(), block->begin_ns);
      if (next == instants_.end() || *next >= block->end_ns) continue;
      fresh_[block->address] = block->begin_ns;
    }
  }

  // A block is taken for the tensor that is first in it.
  int64_t BeginOf(Place place, const Touch& touch) {
    const auto block = fresh_.find(place.first);
    if (block == fresh_.end() || block->second > touch.begin_ns) {
      return touch.begin_ns;
    }
    const int64_t begin_ns = block->second;
    fresh_.erase(block);
    return begin_ns;
  }

  // A product of the backward pass that reads no weights makes the gradient of
  // some; one that reads them goes on to the layer before.
  bool MakesGradient(const Touch& touch, const Operand& operand) const {
    if (operand.use == OperandUse::kWeightGradient) return true;
    if (operand.use != OperandUse::kWrite || !staying_.is_known) return false;
    if (!touch.is_product || touch.pass != Pass::kBackward) return false;
    return std::none_of(touch.operands.begin(), touch.operands.end(),
                        [&](const Operand& read) {
                          const Place place = PlaceOf(read);
                          return staying_.weights.contains(place) ||
                                 staying_.casts.contains(place);
                        });
  }

  MemoryOwner KnownOwner(const Touch& touch, const Operand& operand) const {
    switch (operand.use) {
      case OperandUse::kComm: return MemoryOwner::kComm;
      case OperandUse::kWorkspace: return MemoryOwner::kWorkspace;
      // They do not stay. Of 16 bits they may be casts that no kernel told.
      case OperandUse::kWeight:
        return operand.bits == kCastBits ? MemoryOwner::kDynamic
                                         : MemoryOwner::kWeights;
      default:
        return MakesGradient(touch, operand) ? MemoryOwner::kGradients
                                             : MemoryOwner::kUnknown;
    }
  }

  // What comes after the gradients of all weights of a size is added to them.
  bool IsOneMore(const Operand& operand) {
    const auto weights = weights_of_size_.find(operand.bytes);
    if (weights == weights_of_size_.end()) {
      return operand.use != OperandUse::kWeightGradient;
    }
    return ++gradients_of_size_[operand.bytes] > weights->second;
  }

  // What was there is gone.
  void CloseAt(uint64_t address, int64_t ns) {
    auto old = stays_.lower_bound({address, 0});
    while (old != stays_.end() && old->first.first == address) {
      Close(old->first, old->second, ns);
      old = stays_.erase(old);
    }
  }

  void PutScratch(const Touch& touch, Place place) {
    CloseAt(place.first, touch.begin_ns);
    Close(place,
          {touch.begin_ns, touch.end_ns, touch.pass, touch.pass,
           MemoryOwner::kWorkspace},
          touch.end_ns);
  }

  void AddStay(const Touch& touch, const Operand& operand) {
    const Place place = PlaceOf(operand);
    if (operand.use == OperandUse::kScratch) return PutScratch(touch, place);
    const MemoryOwner owner = KnownOwner(touch, operand);
    const bool begins_anew =
        operand.use == OperandUse::kWrite && owner != MemoryOwner::kGradients;
    if (begins_anew) CloseAt(place.first, touch.begin_ns);
    const auto [at, is_new] = stays_.try_emplace(
        place,
        Stay{touch.begin_ns, touch.end_ns, touch.pass, touch.pass, owner});
    if (is_new) {
      at->second.begin_ns = BeginOf(place, touch);
      if (owner == MemoryOwner::kGradients && IsOneMore(operand)) {
        at->second.owner = MemoryOwner::kDynamic;
      }
      return;
    }
    at->second.end_ns = std::max(at->second.end_ns, touch.end_ns);
    at->second.last = std::max(at->second.last, touch.pass);
    if (at->second.owner != MemoryOwner::kUnknown) return;
    const bool is_one_more =
        owner == MemoryOwner::kGradients && IsOneMore(operand);
    at->second.owner = is_one_more ? MemoryOwner::kDynamic : owner;
  }

  void Close(Place place, const Stay& stay, int64_t end_ns) {
    MemoryOwner owner = stay.owner;
    if (owner != MemoryOwner::kGradients) {
      end_ns = stay.end_ns;  // else: for the update, which is no library call
    }
    if (owner == MemoryOwner::kUnknown) {
      if (!staying_.is_known) return;
      const bool kept = stay.first < Pass::kBackward && stay.last > stay.first;
      owner = kept ? MemoryOwner::kFeatureMaps : MemoryOwner::kDynamic;
    }
    for (size_t i = first_; i < end_; ++i) {
      if (stay.begin_ns > instants_[i] || instants_[i] >= end_ns) continue;
      Put(i, place, owner);
    }
  }

  const TraceModel& model_;
  const Process& process_;
  const Steps& steps_;
  const DeviceId device_;
  const std::vector<MemoryBlock>& blocks_;
  const std::vector<int64_t>& instants_;
  OperandTouches touches_;
  const std::vector<Step> used_;
  const StayingPlaces staying_;
  std::map<int64_t, int> weights_of_size_;
  size_t first_ = 0;  // the instants of the segment
  size_t end_ = 0;
  std::map<int64_t, int> gradients_of_size_;       // of the segment
  std::map<int64_t, size_t> unplaced_of_size_;     // gradients of the segment
  std::map<int64_t, int64_t> unplaced_gradients_;  // bytes, by when made
  std::map<uint64_t, int64_t> fresh_;              // blocks: address, begin
  std::map<Place, Stay> stays_;                    // of the segment
  std::vector<std::vector<OwnedRange>> out_;       // by instant
};

}  // namespace

std::vector<std::vector<OwnedRange>> OperandOwners(
    const TraceModel& model, const Process& process,
    const ProcessAttribution& attribution, const Steps& steps, DeviceId device,
    const std::vector<MemoryBlock>& blocks,
    const std::vector<int64_t>& instants) {
  return OperandJudge(model, process, attribution, steps, device, blocks,
                      instants)
      .Run();
}

}  // namespace dltap::analyzer
