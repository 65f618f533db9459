// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/memory/staying_places.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "analyzer/metrics/operands/cast_weights.h"

namespace dltap::analyzer {
namespace {

constexpr double kNearlyAllSteps = 0.9;
constexpr size_t kLeastSteps = 2;
constexpr Interval kAlways = {std::numeric_limits<int64_t>::min(),
                              std::numeric_limits<int64_t>::max()};

bool Writes(const Operand& operand) {
  return operand.use == OperandUse::kWrite ||
         operand.use == OperandUse::kWeightGradient;
}

// In how many steps a place was seen; steps come in order.
struct Seen {
  size_t steps = 0;
  size_t last = 0;

  void In(size_t step) {
    if (steps > 0 && last == step) return;
    ++steps;
    last = step;
  }
};

class PlaceFinder {
 public:
  PlaceFinder(OperandTouches& touches, const MadeTensors& made,
              const std::vector<Step>& used)
      : touches_(touches),
        made_(made),
        used_(used),
        least_(static_cast<size_t>(
            std::ceil(kNearlyAllSteps * static_cast<double>(used.size())))),
        cast_weights_(made.casts) {}

  StayingPlaces Run() {
    if (used_.size() >= kLeastSteps) {
      FindCopied();
      for (step_ = 0; step_ < used_.size(); ++step_) {
        written_.Clear();
        cast_weights_.BeginStep(used_[step_].begin_ns);
        touches_.Visit({used_[step_].begin_ns, used_[step_].end_ns},
                       [&](const Touch& touch) { Add(touch); });
        cast_weights_.EndStep();
      }
      Judge();
      out_.is_known = !products_.empty() || !named_.empty();
    }
    if (out_.is_known || !out_.weights.empty()) return std::move(out_);
    copied_.clear();
    ever_written_.Clear();
    touches_.Visit(kAlways, [&](const Touch& touch) { AddAlone(touch); });
    for (const Place& place : read_first_) {
      if (!ever_written_.Has(place)) out_.weights.insert(place);
    }
    return std::move(out_);
  }

 private:
  using Places = std::map<Place, Seen>;

  static bool IsNamed(const Operand& operand) {
    return operand.use == OperandUse::kWeight;
  }

  // Without products in steps: what the host gave once and no call wrote since,
  // if products read it as the first operand.
  void AddAlone(const Touch& touch) {
    for (const Operand& operand : touch.operands) {
      if (IsNamed(operand)) out_.weights.insert(PlaceOf(operand));
      if (!Writes(operand)) continue;
      const Place place = PlaceOf(operand);
      const bool is_first = touch.from_host && copied_.insert(place).second;
      if (!is_first) ever_written_.Add(place);
    }
    const Operand* first = touch.Find(Meaning::kPointerA);
    const bool is_forward_product =
        touch.is_product && touch.pass <= Pass::kRecompute;
    if (first == nullptr || !is_forward_product) return;
    if (copied_.contains(PlaceOf(*first))) read_first_.insert(PlaceOf(*first));
  }

  // What the host gave before the steps.
  void FindCopied() {
    touches_.Visit({kAlways.begin_ns, used_.front().begin_ns},
                   [&](const Touch& touch) {
                     if (!touch.from_host) return;
                     for (const Operand& operand : touch.operands) {
                       if (Writes(operand)) copied_.insert(PlaceOf(operand));
                     }
                   });
  }

  void Add(const Touch& touch) {
    for (const Operand& cast : cast_weights_.Add(touch)) {
      See(PlaceOf(cast), casts_);
    }
    for (const Operand& operand : touch.operands) {
      if (IsNamed(operand)) See(PlaceOf(operand), named_);
      if (operand.use == OperandUse::kWorkspace) {
        See(PlaceOf(operand), workspaces_);
      }
    }
    if (touch.is_product && touch.pass <= Pass::kRecompute) AddProduct(touch);
    if (touch.pass == Pass::kUpdate) return;
    for (const Operand& operand : touch.operands) {
      if (!Writes(operand)) continue;
      written_.Add(PlaceOf(operand));
      ever_written_.Add(PlaceOf(operand));
    }
  }

  void AddProduct(const Touch& touch) {
    const Operand* first = touch.Find(Meaning::kPointerA);
    const Operand* second = touch.Find(Meaning::kPointerB);
    if (first == nullptr || second == nullptr) return;
    if (!written_.Has(PlaceOf(*first))) See(PlaceOf(*first), firsts_);
    See(PlaceOf(*second), seconds_);
    if (MayStillBeNearlyAll()) {
      products_.insert({PlaceOf(*first), PlaceOf(*second)});
    }
  }

  bool MayStillBeNearlyAll() const { return step_ + least_ <= used_.size(); }

  void See(Place place, Places& places) const {
    if (MayStillBeNearlyAll()) {
      places[place].In(step_);
    } else if (const auto at = places.find(place); at != places.end()) {
      at->second.In(step_);
    }
  }

  bool InNearlyAll(const Places& places, Place place) const {
    const auto at = places.find(place);
    return at != places.end() && at->second.steps >= least_;
  }

  // In most of the steps in which products read it first.
  bool IsMostlyCast(Place place) const {
    const auto cast = casts_.find(place);
    if (cast == casts_.end()) return false;
    const auto first = firsts_.find(place);
    return first == firsts_.end() ||
           2 * cast->second.steps > first->second.steps;
  }

  // Of two operands the first, which is where libraries of row-major matrices
  // put the weights.
  void Judge() {
    for (const auto& [first, second] : products_) {
      if (IsMostlyCast(first)) {
        if (InNearlyAll(casts_, first)) out_.casts.insert(first);
      } else if (InNearlyAll(firsts_, first)) {
        if (!ever_written_.Has(first)) out_.weights.insert(first);
      } else if (InNearlyAll(seconds_, second) && !ever_written_.Has(second)) {
        out_.weights.insert(second);
      }
    }
    for (const auto& [place, seen] : workspaces_) {
      if (seen.steps >= least_) out_.workspaces.insert(place);
    }
    JudgeNamed();
    AddMasters();
    for (const MadeTensor& table : LargestStep(made_.tables)) AddTable(table);
  }

  // What libraries name may be a cast, too, and casts may come to lie elsewhere
  // in each step. Weights that do so are of one step: the places are others' in
  // the next.
  void JudgeNamed() {
    for (const auto& [place, seen] : named_) {
      if (casts_.contains(place)) {
        out_.casts.insert(place);
        out_.weights.erase(place);
      } else if (seen.steps >= least_) {
        out_.weights.insert(place);
      }
    }
  }

  // As many of a size as nearly all steps cast, or give to graphs.
  void AddMasters() {
    out_.casts_of_size = cast_weights_.casts().InSteps(least_);
    for (const auto& [bytes, n] : out_.casts_of_size) {
      for (size_t i = 0; i < n; ++i) AddMaster(kMasterOfCast * bytes);
    }
    for (const auto& [bytes, n] :
         cast_weights_.unplaced_casts().InSteps(least_)) {
      out_.casts_of_size[bytes] += OfGraphs(kMasterOfCast * bytes, n);
    }
    for (const auto& [bytes, n] : cast_weights_.unplaced().InSteps(least_)) {
      if (out_.casts_of_size.contains(bytes)) continue;  // maybe read again
      out_.unplaced_of_size[bytes] = OfGraphs(bytes, n);
    }
  }

  // How many weights of a size `n` calls read, which may read the same: as many
  // as the host copied before the steps, or one at least.
  size_t OfGraphs(int64_t bytes, size_t n) {
    size_t placed = 0;
    while (placed < n && PlaceCopied(bytes)) ++placed;
    if (placed == 0) out_.unplaced_weight_bytes += bytes;
    return std::max<size_t>(placed, 1);
  }

  // Weights that casts are made of: copied from the host before the steps and
  // never written since; each for one cast.
  void AddMaster(int64_t bytes) {
    if (!PlaceCopied(bytes)) out_.unplaced_weight_bytes += bytes;
  }

  bool PlaceCopied(int64_t bytes) {
    for (const Place& place : copied_) {
      if (place.second != bytes || !IsFree(place)) continue;
      out_.weights.insert(place);
      return true;
    }
    return false;
  }

  // A table whose gradient this is: copied from the host before the steps and
  // never written since.
  void AddTable(const MadeTensor& gradient) {
    for (const Place& place : copied_) {
      if (!gradient.MayHave(place.second) || !IsFree(place)) continue;
      out_.weights.insert(place);
      return;
    }
  }

  bool IsFree(Place place) const {
    return !out_.weights.contains(place) && !ever_written_.Has(place);
  }

  // Those of the step that made most; `made` comes in time.
  std::vector<MadeTensor> LargestStep(
      const std::vector<MadeTensor>& made) const {
    const auto from = [&made](int64_t ns) {
      return std::ranges::lower_bound(made, ns, {}, &MadeTensor::made_ns);
    };
    std::vector<MadeTensor> most;
    for (const Step& step : used_) {
      const auto first = from(step.begin_ns);
      const auto end = from(step.end_ns);
      if (static_cast<size_t>(end - first) > most.size()) {
        most.assign(first, end);
      }
    }
    return most;
  }

  OperandTouches& touches_;
  const MadeTensors& made_;
  const std::vector<Step>& used_;
  const size_t least_;  // steps that are nearly all
  size_t step_ = 0;
  Places firsts_;  // of products; not written in the step before they are read
  Places seconds_;
  Places named_;  // weights, by libraries
  Places casts_;  // right before a forward product reads them
  CastWeights cast_weights_;
  Places workspaces_;
  std::set<std::pair<Place, Place>> products_;  // first and second operands
  std::set<Place> copied_;                      // by the host
  std::set<Place> read_first_;                  // of these; without steps
  WrittenSpans written_;                        // in this step, so far
  WrittenSpans ever_written_;                   // in the steps
  StayingPlaces out_;
};

}  // namespace

StayingPlaces FindStayingPlaces(OperandTouches& touches,
                                const MadeTensors& made,
                                const std::vector<Step>& used) {
  return PlaceFinder(touches, made, used).Run();
}

}  // namespace dltap::analyzer
