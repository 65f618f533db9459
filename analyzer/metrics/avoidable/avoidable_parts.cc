// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/attribution/base/operand_address.h"
#include "analyzer/attribution/calls/call_meaning.h"
#include "analyzer/attribution/calls/op_kinds.h"
#include "analyzer/metrics/avoidable/avoidable.h"
#include "analyzer/metrics/avoidable/kernel_traits.h"
#include "analyzer/metrics/operands/operands.h"

// What programs do part by part, or twice.
namespace dltap::analyzer {
namespace {

using opmodel::Dim;

// Of fills that no norm overwrites, zeros that somebody asked for.
constexpr double kOtherFillsStay = 0.5;
// Of penalties, as kernels over lists that compute the same.
constexpr double kPenaltiesStay = 0.25;

bool IsConvolution(const Attributed& attributed) {
  return attributed.layer_class == LayerClass::kConv;
}

}  // namespace

bool AvoidableKeeper::IsOneProduct(const Attributed& attributed,
                                   const opmodel::Operation& op) {
  return attributed.layer_class == LayerClass::kGemm && op[Dim::kBatch] <= 1 &&
         ClassOf(op.kind) == LayerClass::kGemm;
}

void AvoidableKeeper::FollowNormBiases(const Part& part) {
  using Kernel = NormBiases::Kernel;
  const uint64_t traits = part.traits;
  const Attributed& attributed = part.attributed;
  Kernel kernel = Kernel::kOther;
  if (IsConvolution(attributed)) {
    kernel = Kernel::kConvolution;
  } else if ((traits & kBroadcastSumName) != 0) {
    kernel = Kernel::kBroadcast;
  } else if ((traits & kBatchMeanName) != 0) {
    kernel = Kernel::kNorm;
  } else if (attributed.layer_class == LayerClass::kReduction) {
    kernel = Kernel::kReduction;
  } else if (attributed.glue == Glue::kCount || (traits & kFillName) != 0) {
    kernel = Kernel::kCount;
  }
  const WorkKind* kind = KindOf(attributed);
  const auto sizes = kind == nullptr ? NormBiases::Sizes{} : kind->leading.dims;
  if (!IsBackward(attributed.direction)) {
    norm_biases_.AddForward(kernel, sizes, part.ns, part.is_new);
    return;
  }
  const NormBiases::Sums sums =
      norm_biases_.AddBackward(kernel, sizes, part.ns, part.is_new);
  AddSums(Avoidable::kNormBiases, {.count = sums.count,
                                   .ns = static_cast<int64_t>(sums.ns),
                                   .worst_ns = sums.reductions_ns});
}

void AvoidableKeeper::FollowDoubleSoftmax(const Part& part) {
  using Kernel = DoubleSoftmax::Kernel;
  constexpr uint64_t kAnySum = kSumName | kBroadcastSumName;
  const uint64_t traits = part.traits;
  const Kernel kernel =
      (traits & kLogSoftmaxName) != 0           ? Kernel::kLogSoftmax
      : (traits & kSoftmaxName) != 0            ? Kernel::kSoftmax
      : (traits & kClassLossName) != 0          ? Kernel::kLoss
      : (traits & (kCastName | kFillName)) != 0 ? Kernel::kCast
      : (traits & kAnySum) != 0                 ? Kernel::kSum
      : (traits & kMultiplicationName) != 0     ? Kernel::kMultiplication
                                                : Kernel::kOther;
  if (!IsBackward(part.attributed.direction)) {
    const bool is_first = kernel == Kernel::kSoftmax;
    double_softmax_.AddForward(kernel, part.ns, part.is_new,
                               is_first ? BlocksOf(part.activity) : 0);
    return;
  }
  const DoubleSoftmax::Sums sums = double_softmax_.AddBackward(
      kernel, part.ns, part.is_new, BlocksOf(part.activity));
  AddSums(Avoidable::kDoubleSoftmax,
          {.count = sums.count, .ns = static_cast<int64_t>(sums.ns)});
}

void AvoidableKeeper::FollowGrownArrays(const Part& part) {
  if (IsBackward(part.attributed.direction)) return;
  if ((part.traits & kConcatenationName) != 0) {
    grown_arrays_.AddConcatenation(part.ns, part.is_new);
  } else if (part.attributed.work.known()) {
    grown_arrays_.AddOperation(
        attribution_.works[part.attributed.work.value()].kind);
  }
}

// What a product or convolution reads; nullopt: none, or not known.
std::optional<SinglePasses::Input> AvoidableKeeper::InputOf(
    const Part& part) const {
  const WorkKind* kind = KindOf(part.attributed);
  const CallId owner = part.attributed.owner;
  if (kind == nullptr || !owner.known() || owner == last_product_) return {};
  const opmodel::Operation& op = kind->leading;
  const Call& call = process_.calls[owner.value()];
  if (IsOneProduct(part.attributed, op)) {
    return SinglePasses::Input{
        .weights = FirstOperand(part.attributed),
        .address = OperandAddress(model_, process_, call, Meaning::kPointerB),
        .bytes = static_cast<uint64_t>(op[Dim::kN] * op[Dim::kK]) *
                 opmodel::BitsOf(op.storage) / 8,
        .output = OperandAddress(model_, process_, call, Meaning::kPointerC),
        .samples = op[Dim::kN]};
  }
  if (!IsConvolution(part.attributed)) return {};
  CallMeaning meaning{};
  meaning.leading = op;
  SinglePasses::Input input{};
  input.samples = op[Dim::kBatch];
  for (const Operand& operand : OperandsOf(model_, process_, call, &meaning)) {
    if (operand.use == OperandUse::kWeight) input.weights = operand.address;
    if (operand.use == OperandUse::kRead) {
      input.address = operand.address;
      input.bytes = static_cast<uint64_t>(operand.bytes);
    }
  }
  return input;
}

void AvoidableKeeper::FollowSinglePasses(const Part& part) {
  if (part.attributed.direction != Direction::kForward) {
    single_passes_.AddBackward();
    return;
  }
  // A cell's state goes from one pass to the next.
  const bool is_cell = (part.traits & kFusedCellName) != 0 ||
                       (part.attributed.layer_class == LayerClass::kRnn &&
                        part.attributed.class_from == ClassFrom::kComposite);
  if (is_cell) {
    single_passes_.AddCell();
    return;
  }
  std::optional<SinglePasses::Input> input = InputOf(part);
  if (input && (input->weights == 0 || input->address == 0)) input.reset();
  const bool goes_on =
      part.attributed.owner.known() && part.attributed.owner == last_product_;
  single_passes_.Add({.name = part.activity.name,
                      .ns = part.ns,
                      .work_ns = WorkNs(part),
                      .is_new = part.is_new,
                      .goes_on = goes_on},
                     input);
}

void AvoidableKeeper::FollowSplitProducts(const Part& part) {
  const Attributed& attributed = part.attributed;
  const WorkKind* kind = KindOf(attributed);
  if ((part.traits & kSumName) != 0) split_products_.AddSum(part.ns);
  const bool is_product = kind != nullptr && attributed.owner.known() &&
                          IsOneProduct(attributed, kind->leading) &&
                          attributed.owner != last_product_;
  if (!is_product || gpu_ == nullptr) {
    split_products_.AddOther();
    return;
  }
  const opmodel::Operation& op = kind->leading;
  const Call& call = process_.calls[attributed.owner.value()];
  const double peak = opmodel::PeakFlopsPerS(*gpu_, op.math);
  const double flops_ns = peak > 0 ? 1e9 * part.efficiency.flops / peak : 0;
  const SplitProducts::Product product{
      .input = OperandAddress(model_, process_, call, Meaning::kPointerB),
      .weights = FirstOperand(attributed),
      .output = OperandAddress(model_, process_, call, Meaning::kPointerC),
      .sizes = {op[Dim::kM], op[Dim::kN], op[Dim::kK]},
      .ns = part.ns,
      .best_ns = flops_ns,
      .worst_ns = WorkNs(part).value_or(part.ns),
      .is_new = part.is_new};
  if (product.input == 0 || product.weights == 0) return;
  if (IsBackward(attributed.direction)) {
    split_products_.AddGradient(product);
  } else {
    split_products_.AddForward(product);
  }
}

uint64_t AvoidableKeeper::BlocksOf(const Activity& activity) const {
  uint64_t blocks = 1;
  for (const auto blocks_of_dim : process_.launch_shapes[activity.shape].grid) {
    blocks *= static_cast<uint64_t>(blocks_of_dim);
  }
  return blocks;
}

// At the memory's peak; 0: not known.
double AvoidableKeeper::BytesNs(double bytes) const {
  return gpu_ == nullptr ? 0 : 1e9 * bytes / gpu_->bandwidth_bytes_per_s;
}

void AvoidableKeeper::FollowStackedSamples(const Part& part) {
  if (part.attributed.layer_class == LayerClass::kOptimizer) {
    stacked_samples_.Begin();
  } else if (part.attributed.work.known() ||
             IsBackward(part.attributed.direction)) {
    stacked_samples_.AddLayer();
  } else if ((part.traits & kConcatenationName) != 0) {
    const StackedSamples::Sums sums =
        stacked_samples_.AddConcatenation(part.ns);
    AddSums(Avoidable::kStackedSamples, {.count = sums.count,
                                         .ns = static_cast<int64_t>(sums.ns),
                                         .best_ns = sums.best_ns,
                                         .worst_ns = sums.worst_ns});
  } else {
    stacked_samples_.AddOther(
        {.launch = {part.activity.name, BlocksOf(part.activity)},
         .ns = part.ns,
         .bytes = part.efficiency.bytes,
         .bytes_ns = BytesNs(part.efficiency.bytes),
         .work_ns = WorkNs(part),
         .is_new = part.is_new});
  }
}

void AvoidableKeeper::FollowFills(const Part& part) {
  const Attributed& attributed = part.attributed;
  if (attributed.direction == Direction::kUpdate) return;
  if ((part.traits & kWholeFillName) != 0) return;  // a norm's own counters
  if ((part.traits & kFillName) != 0) {
    fills_.AddFill(part.ns, part.is_new);
  } else if (attributed.layer_class == LayerClass::kNorm &&
             !IsBackward(attributed.direction)) {
    fills_.AddNorm(part.ns);
  } else {
    fills_.AddOther();
  }
}

void AvoidableKeeper::FollowExperts(const Part& part) {
  const Attributed& attributed = part.attributed;
  const WorkKind* kind = KindOf(attributed);
  ExpertLoop::Times times{part.ns, BytesNs(part.efficiency.bytes),
                          WorkNs(part).value_or(part.ns), part.is_new};
  if (gpu_ == nullptr) return;
  if (kind == nullptr || !IsOneProduct(attributed, kind->leading)) {
    if (IsBackward(attributed.direction)) return;
    if ((part.traits & kGatherName) != 0) {
      experts_.AddGather(times);
    } else if ((part.traits & kSumOfRowsName) != 0) {
      experts_.AddSumOfRows(times);
    } else {
      constexpr uint64_t kMakesRows = kFillName | kSumName | kBroadcastSumName;
      experts_.AddOther(times,
                        (part.traits & kMakesRows) != 0 ||
                            attributed.layer_class == LayerClass::kNorm ||
                            attributed.layer_class == LayerClass::kActivation);
    }
    return;
  }
  const opmodel::Operation& op = kind->leading;
  const double peak = opmodel::PeakFlopsPerS(*gpu_, op.math);
  if (peak > 0) {
    times.best_ns = std::max(times.best_ns, 1e9 * part.efficiency.flops / peak);
  }
  const ExpertLoop::Product product{
      {op[Dim::kM], op[Dim::kN], op[Dim::kK]}, FirstOperand(attributed), times};
  if (attributed.owner.known() && attributed.owner == last_product_) {
    experts_.AddOther(times, false);
  } else if (IsBackward(attributed.direction)) {
    experts_.AddBackwardProduct(product);
  } else {
    experts_.AddProduct(product);
  }
}

void AvoidableKeeper::FollowParts(const Part& part) {
  FollowNormBiases(part);
  FollowDoubleSoftmax(part);
  FollowGrownArrays(part);
  FollowSinglePasses(part);
  FollowSplitProducts(part);
  FollowStackedSamples(part);
  FollowFills(part);
  FollowExperts(part);
  FollowSharedExperts(part);
  FollowPenalties(part);
}

void AvoidableKeeper::FinishParts() {
  const auto add = [this](Avoidable kind, const auto& sums) {
    AddSums(kind, {.count = sums.count,
                   .ns = static_cast<int64_t>(sums.ns),
                   .best_ns = sums.best_ns,
                   .worst_ns = sums.worst_ns});
  };
  add(Avoidable::kSinglePasses, single_passes_.Take());
  add(Avoidable::kSplitProducts, split_products_.Take());
  add(Avoidable::kExpertLoop, experts_.Take());
  add(Avoidable::kSharedExperts, shared_experts_.Take());
  const WeightPenalties::Sums penalties = penalties_.Take();
  AddSums(Avoidable::kWeightPenalties,
          {.count = penalties.count,
           .ns = static_cast<int64_t>(penalties.ns),
           .worst_ns = kPenaltiesStay * penalties.ns});
  const GrownArrays::Sums grown = grown_arrays_.Take();
  AddSums(Avoidable::kGrownArrays, {.count = grown.count,
                                    .ns = static_cast<int64_t>(grown.ns),
                                    .best_ns = grown.last_ns,
                                    .worst_ns = grown.last_ns});
  const OverwrittenFills::Sums fills = fills_.Take();
  AddSums(Avoidable::kOverwrittenFills,
          {.count = fills.count,
           .ns = static_cast<int64_t>(fills.ns),
           .worst_ns = kOtherFillsStay * (fills.ns - fills.sure_ns)});
  stacked_samples_.EndWindow();
}

}  // namespace dltap::analyzer
