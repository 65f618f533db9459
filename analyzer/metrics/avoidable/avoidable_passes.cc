// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/attribution/base/operand_address.h"
#include "analyzer/attribution/calls/op_kinds.h"
#include "analyzer/metrics/avoidable/avoidable.h"
#include "analyzer/metrics/avoidable/kernel_traits.h"

// What a pass over the layers does that it need not.
namespace dltap::analyzer {
namespace {

using opmodel::Dim;

// Accesses of an addition of two tensors.
constexpr double kAccessesOfSum = 3;
// Of a call for one time step, the layer's one call for all keeps so much.
constexpr double kCallBest = 0.3;
constexpr double kCallWorst = 0.85;

// The weights of a product, whatever the batch, by their dimensions and, where
// it is known, their address: a teacher's are not the student's. 0: no product.
uint64_t WeightsOf(const opmodel::Operation& op, uint64_t address) {
  const LayerClass layer_class = ClassOf(op.kind);
  constexpr uint64_t kPrime = 0x100000001b3;  // of FNV
  uint64_t weights = static_cast<uint64_t>(layer_class) + 1;
  const auto mix = [&](Dim dim) {
    weights = (weights ^ static_cast<uint64_t>(op[dim])) * kPrime;
  };
  if (layer_class == LayerClass::kGemm) {
    mix(Dim::kM);
    mix(Dim::kK);
    weights = (weights ^ address) * kPrime;
  } else if (layer_class == LayerClass::kConv) {
    mix(Dim::kChannelsIn);
    mix(Dim::kChannelsOut);
    mix(Dim::kFilterHeight);
    mix(Dim::kFilterWidth);
  } else {
    return 0;
  }
  return weights;
}

}  // namespace

// The least that a cache's copy moves is the whole of it, twice.
void AvoidableKeeper::FollowCaches(const Part& part) {
  const WorkKind* kind = KindOf(part.attributed);
  if (gpu_ == nullptr) return;
  if ((part.traits & kConcatenationName) != 0) {
    caches_.AddConcatenation(part.ns, part.is_new);
  } else if (kind != nullptr) {
    const GrownCaches::Sums sums =
        caches_.AddOperation(kind->leading, gpu_->bandwidth_bytes_per_s * 1e-9);
    AddSums(Avoidable::kGrownCaches, {.count = sums.count,
                                      .ns = static_cast<int64_t>(sums.ns),
                                      .worst_ns = sums.worst_ns});
  }
}

void AvoidableKeeper::FollowSlices(const Part& part) {
  if (!IsBackward(part.attributed.direction)) return;
  const uint64_t traits = part.traits;
  const double bytes = part.efficiency.bytes;
  if (bytes <= 0) return;
  if ((traits & kFillName) != 0) {
    slices_.AddFill(bytes, part.ns);
  } else if ((traits & kSumName) != 0) {
    slices_.AddSum(bytes / kAccessesOfSum, part.ns, part.is_new);
  }
}

void AvoidableKeeper::FinishSlices() {
  const SlicedGradients::Sums sums = slices_.Take();
  AddSums(Avoidable::kSlicedGradients,
          {.count = sums.count,
           .ns = static_cast<int64_t>(sums.ns),
           .worst_ns = std::min(sums.worst_ns, sums.ns)});
}

void AvoidableKeeper::FollowCasts(const Part& part) {
  if ((part.traits & kCastName) == 0 ||
      part.attributed.direction == Direction::kUpdate) {
    casts_.AddOther();
    return;
  }
  const NeedlessCasts::Sums sums =
      casts_.AddCast({.name = part.activity.name,
                      .stream = part.activity.stream,
                      .bytes = part.efficiency.bytes,
                      .ns = part.ns,
                      .is_new = part.is_new});
  AddSums(Avoidable::kNeedlessCasts,
          {.count = sums.count, .ns = static_cast<int64_t>(sums.ns)});
}

// Of the call that multiplies; 0: not known.
uint64_t AvoidableKeeper::FirstOperand(const Attributed& attributed) const {
  if (!attributed.owner.known()) return 0;
  return OperandAddress(model_, process_,
                        process_.calls[attributed.owner.value()],
                        Meaning::kPointerA);
}

void AvoidableKeeper::FollowUploads(const Part& part) {
  const Activity& activity = part.activity;
  if (activity.kind == ActivityKind::kMemcpy &&
      activity.copy == CopyKind::kHostToDevice &&
      activity.source == MemoryKind::kPageable) {
    uploads_.AddUpload(activity.bytes, part.ns, part.is_new);
  }
}

void AvoidableKeeper::FinishUploads() {
  const PassUploads::Sums sums = uploads_.Take();
  AddSums(Avoidable::kPassUploads,
          {.count = sums.count, .ns = static_cast<int64_t>(sums.ns)});
}

// Products of passes forward. A second kernel of one is of the same rows;
// without addresses layers of one size are not told from passes.
void AvoidableKeeper::FollowWeights(const Part& part) {
  if (IsBackward(part.attributed.direction)) {
    tokens_.AddBackward();
    uploads_.AddBackward();
    return;
  }
  const WorkKind* kind = KindOf(part.attributed);
  if (kind == nullptr || part.attributed.layer_class != LayerClass::kGemm ||
      part.attributed.owner == last_product_) {
    return;
  }
  const opmodel::Operation& op = kind->leading;
  const uint64_t address = FirstOperand(part.attributed);
  if (address == 0 || op[Dim::kBatch] > 1) return;
  const uint64_t weights = WeightsOf(op, address);
  uploads_.AddProduct(weights);
  if (gpu_ == nullptr) return;
  const double bytes = static_cast<double>(op[Dim::kM] * op[Dim::kK]) *
                       opmodel::BitsOf(op.storage) / 8;
  tokens_.AddProduct({.weights = weights,
                      .rows = op[Dim::kN],
                      .ns = part.ns,
                      .weights_ns = 1e9 * bytes / gpu_->bandwidth_bytes_per_s,
                      .is_new = part.is_new});
}

void AvoidableKeeper::FinishTokens() {
  const RepeatedTokens::Sums sums = tokens_.Take();
  AddSums(Avoidable::kRepeatedTokens, {.count = sums.count,
                                       .ns = static_cast<int64_t>(sums.ns),
                                       .best_ns = sums.best_ns,
                                       .worst_ns = sums.worst_ns});
}

// A library call may take several kernels for a product.
void AvoidableKeeper::FollowExtraPasses(const Part& part) {
  const WorkKind* kind = KindOf(part.attributed);
  const bool multiplies = part.attributed.layer_class == LayerClass::kGemm ||
                          part.attributed.layer_class == LayerClass::kConv;
  const bool is_first = part.attributed.owner != last_product_;
  ExtraPasses::Kernel kernel{.ns = part.ns, .is_new = part.is_new};
  if (kind != nullptr && multiplies && is_first) {
    kernel.product = WeightsOf(kind->leading, FirstOperand(part.attributed));
  }
  if (kernel.product != 0) last_product_ = part.attributed.owner;
  if (IsBackward(part.attributed.direction)) {
    extra_passes_.AddBackward(kernel);
    return;
  }
  const ExtraPasses::Sums sums = extra_passes_.Add(kernel);
  AddSums(Avoidable::kExtraPasses,
          {.count = sums.count, .ns = static_cast<int64_t>(sums.ns)});
}

void AvoidableKeeper::AddCellCall(const Part& part) {
  const WorkKind* kind = KindOf(part.attributed);
  if (kind == nullptr || ClassOf(kind->leading.kind) != LayerClass::kRnn ||
      kind->leading[Dim::kSeq] != 1) {
    return;
  }
  AddTo(Avoidable::kCellCalls, part,
        {kCallBest * part.ns, kCallWorst * part.ns});
}

}  // namespace dltap::analyzer
