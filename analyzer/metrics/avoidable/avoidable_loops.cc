// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/attribution/base/operand_address.h"
#include "analyzer/attribution/calls/op_kinds.h"
#include "analyzer/metrics/avoidable/avoidable.h"
#include "analyzer/metrics/avoidable/kernel_traits.h"

// What programs do one by one, or to all numbers for a few.
namespace dltap::analyzer {
namespace {

using opmodel::Dim;

// What a selection of the largest takes at worst: reads of all at the memory's
// peak, and short kernels.
constexpr double kReadsOfSelection = 8;
constexpr double kSelectionNs = 60'000;

}  // namespace

void AvoidableKeeper::FollowSharedExperts(const Part& part) {
  const Attributed& attributed = part.attributed;
  const WorkKind* kind = KindOf(attributed);
  if (gpu_ == nullptr) return;
  const bool is_product = kind != nullptr && attributed.owner.known() &&
                          IsOneProduct(attributed, kind->leading) &&
                          attributed.owner != last_product_;
  if (!is_product && IsBackward(attributed.direction)) return;
  SharedExperts::Times times{part.ns, BytesNs(part.efficiency.bytes),
                             WorkNs(part).value_or(part.ns), part.is_new};
  if (!is_product) {
    shared_experts_.AddOther(times,
                             attributed.layer_class == LayerClass::kNorm);
    return;
  }
  const opmodel::Operation& op = kind->leading;
  const double peak = opmodel::PeakFlopsPerS(*gpu_, op.math);
  if (peak > 0) times.best_ns = 1e9 * part.efficiency.flops / peak;
  const Call& call = process_.calls[attributed.owner.value()];
  const SharedExperts::Product product{
      .sizes = {op[Dim::kM], op[Dim::kN], op[Dim::kK]},
      .input = OperandAddress(model_, process_, call, Meaning::kPointerB),
      .weights = FirstOperand(attributed),
      .times = times};
  if (IsBackward(attributed.direction)) {
    shared_experts_.AddBackwardProduct(product);
  } else {
    shared_experts_.AddProduct(product);
  }
}

// Sorts work on copies, and gradients that are written in parts or raised to
// the power of one are copied. What reads once selects as well; a selection by
// the digits of numbers reads them five times.
void AvoidableKeeper::FollowSorts(const Part& part) {
  const Activity& activity = part.activity;
  if (activity.kind == ActivityKind::kMemcpy &&
      activity.copy == CopyKind::kDeviceToDevice) {
    sorted_tops_.AddCopy(static_cast<double>(activity.bytes), part.ns);
    if (in_backward_ && !has_update_) {
      out_.own_copies_ns += static_cast<int64_t>(part.ns);
    }
    return;
  }
  if (activity.kind != ActivityKind::kKernel) return;
  if (part.attributed.direction != Direction::kForward) {
    sorted_tops_.AddBackward();
  } else if ((part.traits & kSortName) != 0) {
    out_.own_copies_ns +=
        static_cast<int64_t>(sorted_tops_.AddSort(part.ns, part.is_new));
  } else {
    const SortedTops::Sums sums =
        sorted_tops_.AddOther(part.ns, BlocksOf(activity));
    if (sums.ns <= 0) return;
    const double read_ns = BytesNs(sums.bytes);
    AddSums(Avoidable::kSortedTops,
            {.count = sums.count,
             .ns = static_cast<int64_t>(sums.ns),
             .best_ns = std::min(sums.ns, read_ns),
             .worst_ns = std::min(sums.ns,
                                  kReadsOfSelection * read_ns + kSelectionNs)});
  }
}

void AvoidableKeeper::FollowPenalties(const Part& part) {
  using Use = WeightPenalties::Use;
  const uint64_t traits = part.traits;
  const bool is_backward = IsBackward(part.attributed.direction);
  const bool is_update = part.attributed.direction == Direction::kUpdate;
  if (is_update || (traits & kEagerName) == 0) {
    penalties_.AddOther(is_backward);
    return;
  }
  const WeightPenalties::Kernel kernel{
      .use = (traits & kReductionName) != 0 ? Use::kReduction
             : (traits & kSumName) != 0     ? Use::kSum
                                            : Use::kOther,
      .blocks = BlocksOf(part.activity),
      .ns = part.ns,
      .is_new = part.is_new};
  if (is_backward) {
    penalties_.AddBackward(kernel);
  } else {
    penalties_.AddForward(kernel);
  }
}

}  // namespace dltap::analyzer
