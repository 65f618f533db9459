// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layers/layer_units.h"

#include <algorithm>
#include <utility>

#include "analyzer/attribution/base/submissions.h"
#include "analyzer/metrics/layers/layer_forms.h"
#include "analyzer/metrics/layers/layer_operands.h"
#include "analyzer/metrics/layers/row_access.h"
#include "analyzer/metrics/steps/range_facts.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;

// A longer row of fills and copies is work of its own.
constexpr size_t kMaxGlue = 8;

// The sizes of a product, in any order: its gradients have the same.
std::array<int64_t, 3> SizesOf(const opmodel::Operation& op) {
  std::array<int64_t, 3> sizes{op[Dim::kM], op[Dim::kN], op[Dim::kK]};
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

// Both are gradients of weights, or both of an input: one sums over the rows,
// the other over the outputs. Of as many rows as outputs sizes tell nothing.
bool AreOfOneKind(const opmodel::Operation& a, const opmodel::Operation& b) {
  return a[Dim::kM] == b[Dim::kM] && a[Dim::kN] == b[Dim::kN] &&
         a[Dim::kK] == b[Dim::kK] && a[Dim::kN] != a[Dim::kK] &&
         a[Dim::kM] != a[Dim::kK];
}

bool SharesAnAddress(const std::vector<uint64_t>& a,
                     const std::vector<uint64_t>& b) {
  return std::any_of(a.begin(), a.end(), [&b](uint64_t address) {
    return address != 0 && std::find(b.begin(), b.end(), address) != b.end();
  });
}

class UnitFinder {
 public:
  UnitFinder(const TraceModel& model, const Process& process,
             const ProcessAttribution& attribution)
      : model_(model),
        process_(process),
        attribution_(attribution),
        ranges_(model, process),
        operands_(model, process, attribution),
        forms_(model, process) {
    out_.unit_of.assign(process.activities.size(), kNoUnit);
    out_.row_of.assign(process.activities.size(), LayerRow::kNoLayer);
    out_.is_glue.assign(process.activities.size(), false);
  }

  LayerUnits Run() {
    const std::vector<Submission> order =
        SubmissionOrder(process_, attribution_);
    row_sum_ = FindRowSums(model_, process_, attribution_, order);
    for (const Submission& at : order) {
      if (!at.captured) Add(at);
    }
    TakeGlueAsWork();
    for (LayerUnit& unit : out_.units) {
      if (operands_.IsOutput(unit.weight())) unit.addresses[0] = 0;
    }
    return std::move(out_);
  }

 private:
  const Attributed& At(size_t i) const { return attribution_.activities[i]; }
  const Work* WorkOf(size_t i) const {
    const WorkId work = At(i).work;
    return work.known() ? &attribution_.works[work.value()] : nullptr;
  }

  void Add(const Submission& at) {
    const size_t i = at.activity;
    const LayerRow row = LayerRowOf(At(i));
    out_.row_of[i] = row;
    if (row != LayerRow::kLayer) {
      // What follows an update is none of the pass before it.
      if (row == LayerRow::kUpdate) {
        TakeGlueAsWork();
        in_pass_ = false;
        after_update_ = true;
      }
      return;
    }
    if (IsGlue(i)) {
      AddGlue(at);
      return;
    }
    const bool is_copy = IsCopyOrMemset(At(i).layer_class);
    const UnitSide side = is_copy ? side_ : SideOf(At(i).direction);
    if (ClearsBefore(i)) {
      const std::vector<Submission> cleared = std::exchange(waiting_, {});
      AddWork(at);
      for (const Submission& memset : cleared) {
        out_.unit_of[memset.activity] = out_.unit_of[i];
      }
      return;
    }
    const bool fits = FitsTheGlue(At(i).layer_class, side);
    if (!fits) {
      TakeGlueAsWork();
    } else if (side == side_ && !Joins(i, SequenceOf(i))) {
      TakeCastGradients();
    }
    AddWork(at);
    if (fits) GiveGlue();
  }

  // Casts between two gradients are of the one or of the other; the gradient
  // of a copy needs none.
  void TakeCastGradients() {
    size_t taken = 0;
    while (taken < waiting_.size() && FollowsProduct() &&
           forms_.IsCast(process_.activities[waiting_[taken].activity])) {
      AddWork(waiting_[taken++]);
      out_.units.back().may_be_glue = out_.units.back().moves_gradient;
    }
    waiting_.erase(waiting_.begin(),
                   waiting_.begin() + static_cast<ptrdiff_t>(taken));
  }

  // Right after the gradients of a product, with its bias, what is copied of
  // them and the sum with those of other paths.
  bool FollowsProduct() const {
    return in_unit_ && side_ == UnitSide::kBackward &&
           out_.units.back().side == UnitSide::kBackward && follows_product_;
  }

  // A reduction over many blocks counts these in memory that it clears first.
  bool ClearsBefore(size_t i) const {
    return At(i).layer_class == LayerClass::kReduction && !waiting_.empty() &&
           std::all_of(waiting_.begin(), waiting_.end(), [&](const auto& at) {
             return At(at.activity).layer_class == LayerClass::kMemset;
           });
  }

  void AddGlue(const Submission& at) {
    if (!waiting_.empty() && IsOfOtherPass(waiting_.back(), at)) {
      TakeGlueAsWork();
    }
    if (At(at.activity).glue == Glue::kBias && waiting_.empty() &&
        MayOwnGlue()) {
      Own(at.activity);
    } else if (in_pass_ || !IsCopyOrMemset(At(at.activity).layer_class)) {
      waiting_.push_back(at);
    } else {
      out_.row_of[at.activity] = LayerRow::kNoLayer;
    }
  }

  bool IsOfOtherPass(const Submission& a, const Submission& b) const {
    const Direction first = At(a.activity).direction;
    const Direction second = At(b.activity).direction;
    return first != Direction::kNone && second != Direction::kNone &&
           SideOf(first) != SideOf(second);
  }

  void TakeGlueAsWork() {
    for (const Submission& at : waiting_) AddWork(at);
    waiting_.clear();
  }

  void AddWork(const Submission& at) {
    const size_t i = at.activity;
    const bool is_copy = IsCopyOrMemset(At(i).layer_class);
    if (is_copy && !in_pass_ && !At(i).work.known()) {
      out_.row_of[i] = LayerRow::kNoLayer;
      return;
    }
    if (!is_copy) side_ = SideOf(At(i).direction);
    in_pass_ = true;
    const int64_t sequence = SequenceOf(i);
    if (!Joins(i, sequence)) Begin(at);
    Extend(i, sequence);
  }

  int64_t SequenceOf(size_t i) {
    return ranges_.SequenceOf(InnermostOf(i), side_ == UnitSide::kBackward);
  }

  // Whether an activity goes on with the unit before it.
  bool Joins(size_t i, int64_t sequence) {
    if (out_.units.empty() || !in_unit_) return false;
    const LayerUnit& unit = out_.units.back();
    const LayerClass layer_class = At(i).layer_class;
    if (unit.side != side_) return false;
    if (row_sum_[i] != kNoRowSum) return row_sum_[i] == row_sum_[last_];
    if (At(i).work.known() && At(i).work == At(last_).work) return true;
    if (IsNextLookUp(i)) return false;
    const bool same_node = sequence >= 0 && IsOf(unit, sequence);
    if (side_ == UnitSide::kBackward && sequence >= 0 &&
        !unit.sequences.empty() && !same_node) {
      return false;
    }
    if (unit.pointwise || IsElementwiseLike(layer_class)) {
      return unit.pointwise && IsElementwiseLike(layer_class) &&
             (!unit.sums_bias || layer_class == LayerClass::kReduction) &&
             !unit.moves_gradient && !IsNextGradient(i) &&
             !(FollowsProduct() && forms_.IsCast(process_.activities[i]));
    }
    if (unit.layer_class != layer_class) return false;
    const bool composite = At(i).class_from == ClassFrom::kComposite ||
                           At(last_).class_from == ClassFrom::kComposite;
    if (composite && layer_class == LayerClass::kNorm) {
      return At(i).glue_of == At(last_).glue_of;
    }
    if (composite && layer_class != LayerClass::kEmbedding) return true;
    if (At(i).ruling.known() && At(i).ruling == At(last_).ruling) return true;
    // An activation is one kernel, and so is its gradient.
    if (layer_class == LayerClass::kActivation) return same_node;
    if (side_ == UnitSide::kBackward) {
      return (same_node && !IsOfNextProduct(i)) || IsOtherGradient(i);
    }
    return JoinsForward(i) || (IsOfCell(i) && IsOfCell(last_));
  }

  // One kernel reads the rows of a table.
  bool IsNextLookUp(size_t i) const {
    return side_ == UnitSide::kForward &&
           At(i).layer_class == LayerClass::kEmbedding &&
           At(last_).layer_class == LayerClass::kEmbedding &&
           WorkOf(i) == nullptr && At(i).class_from != ClassFrom::kComposite &&
           !(At(i).ruling.known() && At(i).ruling == At(last_).ruling) &&
           IsLookUp(i) && IsLookUp(last_);
  }

  bool IsLookUp(size_t i) const {
    const std::string_view name = model_.texts[process_.activities[i].name];
    return RowAccessOf(name) == RowAccess::kRead ||
           name.find("_scatter_gather_") != std::string_view::npos;
  }

  // A program calls a cell once per step of its sequence.
  bool IsOfCell(size_t i) const {
    const RangeId ruling = At(i).ruling;
    return ruling.known() && At(i).layer_class == LayerClass::kRnn &&
           model_.texts[process_.ranges[ruling.value()].name].ends_with(
               "_cell");
  }

  // The gradient of a part of a tensor begins with zeros for the whole; where
  // rows are summed or added up, nothing but a sum with other gradients is left
  // to do.
  bool IsNextGradient(size_t i) const {
    if (side_ != UnitSide::kBackward) return false;
    return At(i).glue == Glue::kFill ||
           ((out_.units.back().sums_rows || out_.units.back().adds_rows) &&
            !IsSum(process_.activities[i]));
  }

  static bool IsOf(const LayerUnit& unit, int64_t sequence) {
    return std::find(unit.sequences.begin(), unit.sequences.end(), sequence) !=
           unit.sequences.end();
  }

  // Kernels without a call or operator of their own: the kernel that began an
  // operation begins the next.
  bool JoinsForward(size_t i) const {
    if (WorkOf(i) != nullptr || WorkOf(last_) != nullptr) return false;
    return At(i).layer_class != LayerClass::kGemm && !IsRepeated(i);
  }

  // The gradient of a table begins with zeros for it; a sort in it takes the
  // same kernels several times.
  bool IsNextTable(size_t i) const {
    return At(i).layer_class == LayerClass::kEmbedding &&
           process_.activities[i].name == process_.activities[last_].name &&
           std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& at) {
             return At(at.activity).glue == Glue::kFill &&
                    process_.activities[at.activity].kind ==
                        ActivityKind::kKernel;
           });
  }

  bool IsRepeated(size_t i) const {
    return process_.activities[i].name ==
           process_.activities[out_.units.back().lead].name;
  }

  // A node of grouped products has two gradients of each.
  bool IsOfNextProduct(size_t i) const {
    const Work* work = WorkOf(i);
    return out_.units.back().works >= 2 && work != nullptr &&
           attribution_.KindOf(*work).leading.kind == opmodel::OpKind::kGemm;
  }

  // The gradient of the weights beside that of the input.
  bool IsOtherGradient(size_t i) const {
    const Work* work = WorkOf(i);
    const Work* last = WorkOf(last_);
    if ((work == nullptr) != (last == nullptr)) return false;
    if (work == nullptr) return !IsRepeated(i) && !IsNextTable(i);
    if (out_.units.back().works >= 2) return false;
    const opmodel::Operation& op = attribution_.KindOf(*work).leading;
    if (op.kind != opmodel::OpKind::kGemm) {
      return At(i).direction != At(last_).direction;
    }
    const opmodel::Operation& before = attribution_.KindOf(*last).leading;
    if (SizesOf(op) != SizesOf(before) || AreOfOneKind(op, before)) {
      return false;
    }
    const std::vector<uint64_t> addresses = operands_.AddressesOf(*work);
    if (addresses.empty()) return true;
    return SharesAnAddress(out_.units.back().addresses, addresses);
  }

  void Begin(const Submission& at) {
    const size_t i = at.activity;
    const Attributed& attributed = At(i);
    const bool follows = !out_.units.empty() && in_unit_ &&
                         side_ == UnitSide::kBackward &&
                         out_.units.back().side == UnitSide::kBackward;
    const bool after_product =
        follows && IsLayerProduct(out_.units.back().layer_class);
    const bool has_bias =
        follows && out_.units.back().layer_class != LayerClass::kAttention &&
        (after_product || out_.units.back().layer_class == LayerClass::kNorm);
    const bool after_gradient = FollowsProduct();
    LayerUnit& unit = out_.units.emplace_back();
    unit.lead = i;
    unit.at_ns = at.at_ns;
    unit.layer_class = row_sum_[i] == kNoRowSum ? attributed.layer_class
                                                : LayerClass::kElementwise;
    unit.side = side_;
    unit.after_update = std::exchange(after_update_, false);
    unit.pointwise = IsElementwiseLike(unit.layer_class);
    unit.sums_bias = has_bias && unit.layer_class == LayerClass::kReduction;
    unit.moves_gradient = after_gradient && attributed.glue == Glue::kMove;
    const Work* work = WorkOf(i);
    forms_.Set(process_.activities[i],
               work == nullptr ? nullptr : &attribution_.KindOf(*work).leading,
               unit);
    if (side_ == UnitSide::kForward) {
      const RangeId innermost = InnermostOf(i);
      unit.module = ranges_.ModuleAround(innermost);
      unit.label = ranges_.LabelAround(innermost);
    }
    in_unit_ = true;
    follows_product_ =
        IsLayerProduct(unit.layer_class) ||
        (after_gradient && (unit.sums_bias || unit.moves_gradient ||
                            IsSum(process_.activities[i])));
    last_ = process_.activities.size();
  }

  void Extend(size_t i, int64_t sequence) {
    LayerUnit& unit = out_.units.back();
    out_.unit_of[i] = static_cast<uint32_t>(out_.units.size() - 1);
    if (unit.pointwise && At(i).glue == Glue::kNone) {
      forms_.AddName(process_.activities[i], unit);
    }
    forms_.AddRows(process_.activities[i], unit);
    unit.only_sums =
        unit.only_sums && unit.pointwise && IsSum(process_.activities[i]);
    unit.only_makes = unit.only_makes && MakesNumbers(i);
    unit.moves += At(i).glue == Glue::kMove ? 1 : 0;
    if (sequence >= 0 && !IsOf(unit, sequence)) {
      unit.sequences.push_back(sequence);
    }
    const bool is_first = last_ == process_.activities.size();
    const Work* work = WorkOf(i);
    if (work != nullptr && (is_first || At(i).work != At(last_).work)) {
      ++unit.works;
      if (is_first || side_ == UnitSide::kBackward) {
        operands_.NoteOutputs(*work);
        const std::vector<uint64_t> more = operands_.AddressesOf(*work);
        unit.addresses.insert(unit.addresses.end(), more.begin(), more.end());
      }
    }
    last_ = i;
    follows_product_ =
        follows_product_ && (!unit.pointwise || unit.only_sums ||
                             unit.sums_bias || unit.moves_gradient);
  }

  // Right before a layer it waits for that; a bias is added to what is there.
  bool IsGlue(size_t i) const {
    const Glue glue = At(i).glue;
    return glue != Glue::kNone && glue != Glue::kRandom &&
           row_sum_[i] == kNoRowSum;
  }

  bool MayOwnGlue() const {
    return in_unit_ && OwnsGlue(out_.units.back().layer_class) &&
           out_.units.back().side == side_;
  }

  // What waits belongs to the unit that began, if that may own it.
  void GiveGlue() {
    for (const Submission& at : waiting_) Own(at.activity);
    waiting_.clear();
  }

  bool FitsTheGlue(LayerClass layer_class, UnitSide side) const {
    return OwnsGlue(layer_class) && waiting_.size() <= kMaxGlue &&
           std::all_of(waiting_.begin(), waiting_.end(), [&](const auto& at) {
             const Direction direction = At(at.activity).direction;
             return direction == Direction::kNone || SideOf(direction) == side;
           });
  }

  // Weights that are cast right before they are used lie where there was room;
  // the copy of a bias to where the result will be says nothing of them.
  void Own(size_t i) {
    LayerUnit& unit = out_.units.back();
    out_.unit_of[i] = static_cast<uint32_t>(out_.units.size() - 1);
    out_.is_glue[i] = true;
    unit.moves += At(i).glue == Glue::kMove ? 1 : 0;
    if (At(i).glue == Glue::kMove && unit.weight() != 0 &&
        operands_.MayWrite(At(i), unit.weight())) {
      unit.addresses[0] = 0;
    }
    const int64_t sequence =
        ranges_.SequenceOf(InnermostOf(i), unit.side == UnitSide::kBackward);
    if (sequence >= 0 && !IsOf(unit, sequence)) {
      unit.sequences.push_back(sequence);
    }
  }

  // Whether it takes no tensor.
  bool MakesNumbers(size_t i) const {
    if (At(i).glue == Glue::kFill || At(i).glue == Glue::kRandom) return true;
    return model_.texts[process_.activities[i].name].find(
               "elementwise_kernel_with_index") != std::string_view::npos;
  }

  // Of two tensors, as autograd adds up gradients where paths meet.
  bool IsSum(const Activity& activity) const {
    return model_.texts[activity.name].find("CUDAFunctor_add") !=
           std::string_view::npos;
  }

  RangeId InnermostOf(size_t i) const {
    const Activity& activity = process_.activities[i];
    return ranges_.InnermostOf(
        activity, activity.graph_node != 0 ? At(i).owner : At(i).submitted_by);
  }

  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  RangeFacts ranges_;
  LayerUnits out_;
  UnitSide side_ = UnitSide::kForward;
  bool in_pass_ = false;
  bool in_unit_ = false;
  bool after_update_ = false;
  bool follows_product_ = false;
  std::vector<Submission> waiting_;  // glue in front of what comes next
  std::vector<size_t> row_sum_;      // see FindRowSums
  // Of the last unit.
  size_t last_ = 0;  // activity
  LayerOperands operands_;
  LayerForms forms_;
};

}  // namespace

LayerUnits FindLayerUnits(const TraceModel& model, const Process& process,
                          const ProcessAttribution& attribution) {
  return UnitFinder(model, process, attribution).Run();
}

}  // namespace dltap::analyzer
