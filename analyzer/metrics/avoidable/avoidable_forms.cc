// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/attribution/base/operand_address.h"
#include "analyzer/attribution/calls/call_meaning.h"
#include "analyzer/attribution/calls/op_kinds.h"
#include "analyzer/metrics/avoidable/avoidable.h"
#include "analyzer/metrics/avoidable/kernel_traits.h"
#include "analyzer/metrics/operands/operand_elements.h"
#include "analyzer/metrics/operands/operand_shapes.h"
#include "analyzer/metrics/operands/operands.h"

// What programs write in a form that costs more than another one of the same
// meaning.
namespace dltap::analyzer {
namespace {

using opmodel::Dim;

constexpr double kAccessesOfSum = 3;

// A lookup in place of a product with one-hot rows: a short kernel that reads
// and writes its result. Backward, some thirty kernels sort the rows and add
// them up, of which the longest go over them as often as this.
constexpr double kShortNs = 5000;
constexpr double kLookupAccesses = 4;
constexpr double kSortNs = 150'000;
constexpr double kSortedAccesses = 40;

// Of the softmax of FP32 logits and its gradient, one that reads and writes
// them in two bytes an element, in as few passes as it needs, takes so much.
constexpr double kNarrowSoftmax = 0.25;

constexpr uint64_t kNoSmallDownload = 1 << 20;

bool IsProduct(const Attributed& attributed) {
  return attributed.layer_class == LayerClass::kGemm;
}

double ElementBytes(const opmodel::Operation& op) {
  return opmodel::BitsOf(op.storage) / 8.0;
}

double Elements(int64_t rows, int64_t columns) {
  return static_cast<double>(rows) * static_cast<double>(columns);
}

double FilterSize(const opmodel::Operation& op) {
  return ElementsOf(op, Meaning::kPointerW);
}

// Where a convolution's filter is; 0: the call does not tell.
uint64_t FilterOf(const TraceModel& model, const Process& process,
                  const Work& work, const opmodel::Operation& op) {
  if (!work.call.known()) return 0;
  CallMeaning meaning{};
  meaning.leading = op;
  for (const Operand& operand :
       OperandsOf(model, process, process.calls[work.call.value()], &meaning)) {
    if (operand.use == OperandUse::kWeight) return operand.address;
  }
  return 0;
}

}  // namespace

UnusedGradients::Memory AvoidableKeeper::MemoryOf(const opmodel::GpuSpec* gpu) {
  if (gpu == nullptr) return {};
  return {1e-9 * gpu->bandwidth_bytes_per_s, gpu->l2_bytes};
}

void AvoidableKeeper::FollowGradientChecks(const Part& part) {
  if (!IsBackward(part.attributed.direction)) return;
  using Kernel = GradientChecks::Kernel;
  const uint64_t traits = part.traits;
  const Kernel kernel = (traits & kComparisonName) != 0 ? Kernel::kComparison
                        : (traits & kAnyName) != 0      ? Kernel::kAny
                                                        : Kernel::kOther;
  const GradientChecks::Sums sums = checks_.Add(kernel, part.ns, part.is_new);
  AddSums(Avoidable::kGradientChecks,
          {.count = sums.count, .ns = static_cast<int64_t>(sums.ns)});
}

void AvoidableKeeper::FollowZeros(const Part& part) {
  const uint64_t traits = part.traits;
  const double bytes = part.efficiency.bytes;
  if (IsBackward(part.attributed.direction)) {
    zeros_before_backward_ = true;
    if ((traits & kSumName) != 0 && bytes > 0) {
      zeroed_.AddSum(bytes / kAccessesOfSum, part.ns);
    }
    return;
  }
  if (zeros_before_backward_) FinishZeros();
  if ((traits & kZeroListName) != 0) {
    zeroed_.AddZeroedList(part.ns, part.is_new);
  } else if ((traits & kFillName) != 0 && bytes > 0) {
    zeroed_.AddZeros(bytes, part.ns, part.is_new);
  } else {
    zeroed_.AddOther();
  }
}

// At worst the gradients are added up all the same, to those of another pass.
void AvoidableKeeper::FinishZeros() {
  zeros_before_backward_ = false;
  const ZeroedGradients::Sums sums = zeroed_.Take();
  AddSums(Avoidable::kZeroedGradients,
          {.count = sums.count,
           .ns = static_cast<int64_t>(sums.zeros_ns + sums.additions_ns),
           .worst_ns = sums.additions_ns});
}

// What lies between an update and the first product is not known to be forward.
void AvoidableKeeper::FollowManyTables(const Part& part) {
  const Attributed& attributed = part.attributed;
  const bool of_table = attributed.layer_class == LayerClass::kEmbedding;
  if (attributed.work.known()) {
    many_tables_.AddProduct();
  } else if (of_table && !IsBackward(attributed.direction)) {
    many_tables_.AddLookup(part.ns, part.is_new);
  } else if (of_table) {
    const bool adds_up = (part.traits & kTableGradientName) != 0;
    many_tables_.AddBackward(part.ns, adds_up, part.is_new);
  }
}

void AvoidableKeeper::FinishManyTables() {
  const ManyTables::Sums sums = many_tables_.Take();
  AddSums(Avoidable::kManyTables, {.count = sums.count,
                                   .ns = static_cast<int64_t>(sums.ns),
                                   .worst_ns = sums.ns - sums.latency_ns});
}

void AvoidableKeeper::FollowOneHot(const Part& part) {
  const uint64_t traits = part.traits;
  const OneHot::Kernel kernel{part.ns, part.is_new};
  const WorkKind* kind = KindOf(part.attributed);
  if ((traits & kFillName) != 0) {
    one_hot_.AddFill(part.efficiency.bytes, kernel);
  } else if ((traits & kScatterName) != 0) {
    one_hot_.AddScatter(kernel);
  } else if ((traits & kCastName) != 0) {
    one_hot_.AddCast(kernel);
  } else if (kind != nullptr && IsProduct(part.attributed)) {
    const auto sums = one_hot_.AddProduct(
        kind->leading, kernel, IsBackward(part.attributed.direction));
    if (sums && gpu_ != nullptr) AddOneHot(*sums, kind->leading);
  } else {
    one_hot_.AddOther();
  }
}

void AvoidableKeeper::AddOneHot(const OneHot::Sums& sums,
                                const opmodel::Operation& op) {
  const double pass_ns =
      1e9 * sums.result * ElementBytes(op) / gpu_->bandwidth_bytes_per_s;
  const double worst_ns = sums.of_table ? kSortNs + kSortedAccesses * pass_ns
                                        : kShortNs + kLookupAccesses * pass_ns;
  AddSums(Avoidable::kOneHot, {.count = sums.count,
                               .ns = static_cast<int64_t>(sums.ns),
                               .worst_ns = std::min(worst_ns, sums.ns)});
}

void AvoidableKeeper::FollowWideLogits(const Part& part) {
  using Kernel = WideLogits::Kernel;
  const uint64_t traits = part.traits;
  Kernel kernel = Kernel::kOther;
  if (IsProduct(part.attributed)) {
    kernel = Kernel::kProduct;
  } else if ((traits & kCastName) != 0) {
    kernel = Kernel::kCast;
  } else if ((traits & kWideSoftmaxName) != 0) {
    kernel = IsBackward(part.attributed.direction) ? Kernel::kSoftmaxGradient
                                                   : Kernel::kSoftmax;
  }
  const WideLogits::Sums sums = wide_logits_.Add(kernel, part.ns, part.is_new);
  AddSums(Avoidable::kWideLogits,
          {.count = sums.count,
           .ns = static_cast<int64_t>(sums.casts_ns + sums.softmax_ns),
           .best_ns = kNarrowSoftmax * sums.softmax_ns,
           .worst_ns = sums.softmax_ns});
}

// cuDNN multiplies FP32 as TF32 unless it is told not to: at worst as quick.
void AvoidableKeeper::FollowUnfolds(const Part& part) {
  const uint64_t traits = part.traits;
  const WorkKind* kind = KindOf(part.attributed);
  if ((traits & kUnfoldName) != 0) {
    unfolded_.AddUnfold({part.ns, part.is_new});
  } else if ((traits & kFoldName) != 0) {
    unfolded_.AddFold({part.ns, part.is_new});
  } else if (kind == nullptr || !IsProduct(part.attributed) ||
             gpu_ == nullptr) {
    unfolded_.AddOther();
  } else if (part.attributed.owner != last_product_) {
    const opmodel::Operation& op = kind->leading;
    const bool is_narrow = opmodel::BitsOf(op.math) == 16;
    const auto type = is_narrow ? op.math : opmodel::DType::kTf32;
    const double peak = opmodel::PeakFlopsPerS(*gpu_, type);
    const double best_ns =
        peak > 0 ? 1e9 * part.efficiency.flops / peak : part.ns;
    const double share =
        kWorstTensorShare * TileShare(std::min(op[Dim::kM], op[Dim::kN]));
    unfolded_.AddProduct({.sizes = {op[Dim::kM], op[Dim::kN], op[Dim::kK]},
                          .ns = part.ns,
                          .best_ns = best_ns,
                          .worst_ns = is_narrow ? best_ns / share : part.ns});
  }
}

void AvoidableKeeper::FinishUnfolds() {
  const UnfoldedConvolutions::Sums sums = unfolded_.Take();
  AddSums(Avoidable::kUnfoldedConvolutions,
          {.count = sums.count,
           .ns = static_cast<int64_t>(sums.ns),
           .best_ns = sums.best_ns,
           .worst_ns = std::min(sums.worst_ns, sums.ns)});
}

// Other ranks read what is sent, the host what is copied to it.
void AvoidableKeeper::FollowOtherUses(const Part& part) {
  const Activity& activity = part.activity;
  const bool is_download = activity.kind == ActivityKind::kMemcpy &&
                           activity.copy == CopyKind::kDeviceToHost &&
                           activity.bytes >= kNoSmallDownload;
  if (is_download || part.attributed.layer_class == LayerClass::kComm) {
    unused_.AddOtherUse();
  }
}

// Behind a backward pass may stand what makes the next batch: an optimizer's
// kernels tell an update.
void AvoidableKeeper::FollowUnusedGradients(const Part& part) {
  const Direction direction = part.attributed.direction;
  if (direction == Direction::kUpdate) {
    has_update_ |= part.attributed.layer_class == LayerClass::kOptimizer;
    constexpr uint32_t kAdam = kAdamName | kAddcdivName;
    const uint64_t traits = part.traits;
    // Weights that the next pass takes in 16 bits.
    if ((traits & kCastName) != 0) return;
    unused_.AddUpdate(part.ns, (traits & kAdam) != 0);
    return;
  }
  const WorkKind* kind = KindOf(part.attributed);
  if (kind == nullptr) return;
  const opmodel::Operation& op = kind->leading;
  if (part.attributed.layer_class == LayerClass::kConv) {
    // It may take several kernels, which are its work together.
    const CallId call = part.attributed.owner;
    if (!call.known() || call == last_product_) return;
    const Work& work = attribution_.works[part.attributed.work.value()];
    if (!IsBackward(direction)) {
      if (has_update_) FinishUnusedGradients();
      unused_.AddForward(FilterOf(model_, process_, work, op), FilterSize(op));
    } else if (op.kind == opmodel::OpKind::kConvBackwardWeight) {
      unused_.AddWeightGradient({.elements = FilterSize(op),
                                 .bytes = ElementBytes(op),
                                 .ns = static_cast<double>(work.kernel_ns),
                                 .is_new = part.is_new});
    } else {
      unused_.AddDataGradient();
    }
    return;
  }
  if (!IsProduct(part.attributed) || op[Dim::kBatch] > 1) return;
  if (!IsBackward(direction)) {
    if (has_update_) FinishUnusedGradients();
    unused_.AddForward(FirstOperand(part.attributed),
                       Elements(op[Dim::kM], op[Dim::kK]));
    return;
  }
  if (ReadsWeights(part.attributed)) {
    unused_.AddDataGradient();
  } else {
    unused_.AddWeightGradient({.elements = Elements(op[Dim::kM], op[Dim::kN]),
                               .bytes = ElementBytes(op),
                               .ns = part.ns,
                               .is_new = part.is_new});
  }
}

bool AvoidableKeeper::ReadsWeights(const Attributed& attributed) const {
  if (!attributed.owner.known()) return true;
  const Call& call = process_.calls[attributed.owner.value()];
  for (const Meaning operand : {Meaning::kPointerA, Meaning::kPointerB}) {
    const uint64_t address = OperandAddress(model_, process_, call, operand);
    if (address == 0 || unused_.IsWeight(address)) return true;
  }
  return false;
}

void AvoidableKeeper::FinishUnusedGradients() {
  has_update_ = false;
  const UnusedGradients::Sums sums = unused_.Take();
  AddSums(Avoidable::kUnusedGradients, {.count = sums.count,
                                        .ns = static_cast<int64_t>(sums.ns),
                                        .worst_ns = sums.ns - sums.least_ns});
}

void AvoidableKeeper::FollowForms(const Part& part) {
  FollowGradientChecks(part);
  FollowZeros(part);
  FollowManyTables(part);
  FollowOneHot(part);
  FollowWideLogits(part);
  FollowUnfolds(part);
  FollowUnusedGradients(part);
}

}  // namespace dltap::analyzer
