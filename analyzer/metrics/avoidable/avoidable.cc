// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/avoidable.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analyzer/attribution/calls/op_kinds.h"
#include "analyzer/attribution/names/name_rules.h"
#include "analyzer/metrics/avoidable/kernel_traits.h"
#include "analyzer/metrics/operands/operand_shapes.h"
#include "opmodel/gemm_shape.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::DType;

// Shares of the peaks that even small or badly shaped kernels reach.
constexpr double kWorstAttentionShare = 0.25;
constexpr double kWorstBandwidthShare = 0.6;
constexpr double kShortKernelNs = 5000;

// Backward, fused attention multiplies the scores once more: seven products of
// a pass forward and backward in place of six.
constexpr double kFusedAttentionWork = 7.0 / 6;
// Of the scores, a fused kernel leaves out those that a causal mask does.
constexpr double kCausalShare = 0.5;
// No head has fewer channels: a smaller dimension is one of a sequence.
constexpr int64_t kLeastHead = 16;

// cuDNN takes all steps' inputs in one product, and has one kernel for all
// gates of a cell, as the fused cells of frameworks have.
constexpr double kLayerProductsBest = 0.5;
constexpr double kLayerGatesBest = 0.05;
constexpr double kLayerGatesWorst = 0.25;

// Of a product with odd rows, what stays at worst with even ones, if that is
// not more than this share of the peaks. Shorter rows are no sizes that a pad
// makes hardly longer: it may be seven elements.
constexpr double kOddWorst = 0.75;
constexpr double kEvenShare = 0.7;
constexpr int64_t kLeastOddRow = 64;

// One in so many ns of a step is a noticeable part of it.
constexpr double kNoticeable = 50;

bool Is16Bit(DType type) { return type == DType::kF16 || type == DType::kBf16; }

// A norm that the program writes itself is pointwise work.
bool IsPointwise(const Attributed& attributed) {
  return attributed.layer_class == LayerClass::kElementwise ||
         attributed.layer_class == LayerClass::kActivation ||
         attributed.layer_class == LayerClass::kReduction ||
         (attributed.layer_class == LayerClass::kNorm &&
          attributed.class_from == ClassFrom::kComposite);
}

DType HalfOf(const opmodel::GpuSpec& gpu) {
  return gpu.compute_major >= 8 ? DType::kBf16 : DType::kF16;
}

// 0: none, or not known. Frameworks' own operators count rows first, and do not
// tell how operands lie: the rows of what they make are the columns.
int64_t OddRowOf(const opmodel::Operation& op, bool is_blas) {
  if (op[Dim::kBatch] > 1) return 0;
  if (is_blas) return opmodel::OddRow(op);
  opmodel::Operation made = op;
  made[Dim::kM] = made[Dim::kK] = op[Dim::kN];
  return opmodel::OddRow(made);
}

// Frameworks hand them on as of images one pixel high.
bool IsOfLines(const opmodel::Operation& op) {
  return op[Dim::kHeightIn] <= 1 && op[Dim::kFilterHeight] <= 1 &&
         op[Dim::kDepthIn] <= 1 && op[Dim::kWidthIn] > 1;
}

// A fused attention asks no switch for TF32. A convolution of each channel by
// itself has no product of matrices.
bool SurelyTakesTensorCores(const opmodel::Operation& op) {
  if (ClassOf(op.kind) == LayerClass::kAttention) return false;
  return ClassOf(op.kind) != LayerClass::kConv || op[Dim::kGroups] <= 1 ||
         op[Dim::kGroups] < op[Dim::kChannelsIn];
}

}  // namespace

std::string_view Name(Avoidable kind) {
  constexpr std::string_view kNames[kAvoidables] = {"fp32_products",
                                                    "fp32_convolutions",
                                                    "fp64",
                                                    "tensor_update",
                                                    "list_update",
                                                    "before_update",
                                                    "after_update",
                                                    "composed_attention",
                                                    "cell_loop",
                                                    "trials",
                                                    "transposes",
                                                    "inner_transposes",
                                                    "repeated_casts",
                                                    "recompute",
                                                    "pointwise",
                                                    "dense_tables",
                                                    "micro_batches",
                                                    "grown_caches",
                                                    "sliced_gradients",
                                                    "needless_casts",
                                                    "extra_passes",
                                                    "cell_calls",
                                                    "gradient_checks",
                                                    "zeroed_gradients",
                                                    "many_tables",
                                                    "one_hot",
                                                    "wide_logits",
                                                    "unused_gradients",
                                                    "gradient_sends",
                                                    "bucket_copies",
                                                    "unfolded_convolutions",
                                                    "repeated_tokens",
                                                    "pass_uploads",
                                                    "odd_sizes",
                                                    "norm_biases",
                                                    "double_softmax",
                                                    "grown_arrays",
                                                    "single_passes",
                                                    "split_products",
                                                    "stacked_samples",
                                                    "overwritten_fills",
                                                    "expert_loop",
                                                    "shared_experts",
                                                    "sorted_tops",
                                                    "weight_penalties"};
  return kNames[static_cast<size_t>(kind)];
}

void AvoidableSums::Add(const AvoidableSums& other) {
  count += other.count;
  ns += other.ns;
  best_ns += other.best_ns;
  worst_ns += other.worst_ns;
  windows += other.windows;
}

void AvoidableWork::Add(const AvoidableWork& other) {
  const auto of_odd = [](const AvoidableWork& work) {
    return work.of(Avoidable::kOddSizes).ns;
  };
  if (of_odd(other) > of_odd(*this)) odd_row = other.odd_row;
  own_copies_ns += other.own_copies_ns;
  line_transposes_ns += other.line_transposes_ns;
  for (size_t i = 0; i < kAvoidables; ++i) sums[i].Add(other.sums[i]);
}

uint64_t AvoidableKeeper::TraitsOf(const Activity& activity) {
  if (!activity.name.known()) return 0;
  uint64_t& traits = traits_[activity.name.value()];
  if (traits == 0) {
    traits = TraitsOfKernel(Demangle(model_.texts[activity.name]));
  }
  return traits;
}

const WorkKind* AvoidableKeeper::KindOf(const Attributed& attributed) const {
  return attributed.work.known() ? &attribution_.KindOf(attributed.work)
                                 : nullptr;
}

void AvoidableKeeper::AddTo(Avoidable kind, const Part& part, Times times) {
  AddSums(kind, {.count = part.is_new ? 1U : 0U,
                 .ns = static_cast<int64_t>(part.ns),
                 .best_ns = std::min(times.best_ns, part.ns),
                 .worst_ns = std::min(times.worst_ns, part.ns)});
}

void AvoidableKeeper::AddSums(Avoidable kind, const AvoidableSums& more) {
  if (more == AvoidableSums{}) return;
  Of(kind).Add(more);
  window_ns_[static_cast<size_t>(kind)] += static_cast<double>(more.ns);
}

// Where FP32 comes to little of what its peak and the memory allow, the shape
// fits no tile or fills no GPU: at worst, tensor cores come to as little.
AvoidableKeeper::Times AvoidableKeeper::ByTensorCores(
    const Part& part, const opmodel::Operation& op, DType worst) const {
  const double bandwidth = gpu_->bandwidth_bytes_per_s;
  const double best_flops_per_s = opmodel::PeakFlopsPerS(*gpu_, HalfOf(*gpu_));
  const Efficiency& work = part.efficiency;
  const double reached =
      1e9 *
      std::max(work.flops / gpu_->fp32_flops_per_s, work.bytes / bandwidth) /
      part.ns;
  const double worst_share = std::min(
      kWorstTensorShare * LoadShare(op, worst) * TileShare(op), reached);
  const double worst_flops_per_s =
      worst_share * opmodel::PeakFlopsPerS(*gpu_, worst);
  const double worst_bandwidth =
      std::min(kWorstBandwidthShare, reached) * bandwidth;
  return {
      1e9 * std::max(work.flops / best_flops_per_s, work.bytes / 2 / bandwidth),
      std::max(kShortKernelNs, 1e9 * std::max(work.flops / worst_flops_per_s,
                                              work.bytes / worst_bandwidth))};
}

// cuDNN may take TF32 unless it is told not to: convolutions that do not use it
// gain from narrow types alone. Recurrent layers wait for one step after the
// other, so their FLOPs tell nothing.
void AvoidableKeeper::AddProducts(const Part& part) {
  const WorkKind* kind = KindOf(part.attributed);
  if (gpu_ == nullptr || kind == nullptr || part.efficiency.flops <= 0) return;
  const LayerClass of_call = ClassOf(kind->leading.kind);
  const bool multiplies = of_call == LayerClass::kConv ||
                          of_call == LayerClass::kGemm ||
                          of_call == LayerClass::kAttention;
  if (!multiplies || kind->leading.math != DType::kF32) return;
  if ((part.traits & kTensorCoreName) != 0) return;
  const bool has_tf32 = gpu_->tf32_flops_per_s > gpu_->fp32_flops_per_s;
  const DType worst =
      has_tf32 && of_call != LayerClass::kConv ? DType::kTf32 : HalfOf(*gpu_);
  if (gpu_->fp16_flops_per_s <= gpu_->fp32_flops_per_s) return;
  Times times = ByTensorCores(part, kind->leading, worst);
  if (!SurelyTakesTensorCores(kind->leading)) times.worst_ns = part.ns;
  AddTo(of_call == LayerClass::kConv ? Avoidable::kFp32Convolutions
                                     : Avoidable::kFp32Products,
        part, times);
}

// Half of the rate is lost by what is known; how much else of a kernel's time
// is not the rate nobody knows, but the peaks bound it.
void AvoidableKeeper::AddOddSizes(const Part& part) {
  const WorkKind* kind = KindOf(part.attributed);
  const bool is_product = part.attributed.layer_class == LayerClass::kGemm &&
                          kind != nullptr &&
                          ClassOf(kind->leading.kind) == LayerClass::kGemm;
  if (gpu_ == nullptr || !is_product || part.efficiency.flops <= 0) return;
  const opmodel::Operation& op = kind->leading;
  const int64_t row = OddRowOf(op, part.attributed.owner.known());
  const double peak = opmodel::PeakFlopsPerS(*gpu_, op.math);
  if (row < kLeastOddRow || peak <= gpu_->fp32_flops_per_s) return;
  const double flops_ns = 1e9 * part.efficiency.flops / peak;
  const double bytes_ns =
      1e9 * part.efficiency.bytes / gpu_->bandwidth_bytes_per_s;
  AddTo(Avoidable::kOddSizes, part,
        {std::max(flops_ns, bytes_ns),
         std::max({kOddWorst * part.ns, flops_ns / kEvenShare,
                   bytes_ns / kEvenShare, kShortKernelNs})});
  if (part.ns > longest_odd_ns_) {
    longest_odd_ns_ = part.ns;
    out_.odd_row = row;
  }
}

// What moves data takes half of it; products as long as FP32 does.
void AvoidableKeeper::AddFp64(const Part& part) {
  if (part.efficiency.fp64_ns <= 0) return;
  const WorkKind* kind = KindOf(part.attributed);
  if (kind == nullptr) {
    AddTo(Avoidable::kFp64, part, {0.45 * part.ns, 0.7 * part.ns});
    return;
  }
  if (gpu_ == nullptr) return;
  const double fp64 = opmodel::PeakFlopsPerS(*gpu_, DType::kF64);
  const double best = opmodel::PeakFlopsPerS(*gpu_, HalfOf(*gpu_));
  AddTo(Avoidable::kFp64, part,
        {part.ns * fp64 / std::max(fp64, best),
         part.ns * fp64 / std::max(fp64, gpu_->fp32_flops_per_s)});
}

// What of a product's traffic stays when the scores stay on the chip: they are
// all of its dimensions but that of the heads, which is the least that can be
// one. Decoding reads long keys and values for few scores.
double AvoidableKeeper::BytesWithoutScores(const opmodel::Operation& op,
                                           double bytes) {
  using opmodel::Dim;
  std::array<double, 3> dims;
  double head = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    constexpr std::array kDims = {Dim::kM, Dim::kN, Dim::kK};
    const int64_t dim = op[kDims[i]];
    dims[i] = static_cast<double>(dim);
    if (dim >= kLeastHead && (head == 0 || dims[i] < head)) head = dims[i];
  }
  const auto [m, n, k] = dims;
  const double all = m * n + m * k + n * k;
  if (all <= 0 || head <= 0) return bytes;
  return bytes * (1 - m * n * k / head / all);
}

void AvoidableKeeper::AddAttention(const Part& part) {
  const WorkKind* kind = KindOf(part.attributed);
  if (kind == nullptr || part.efficiency.flops <= 0) {
    AddTo(Avoidable::kComposedAttention, part, {0, 0});
    return;
  }
  attention_products_ns_ += part.ns;
  const DType math = kind->leading.math;
  const double half = opmodel::PeakFlopsPerS(*gpu_, HalfOf(*gpu_));
  const double own =
      Is16Bit(math) ? half : opmodel::PeakFlopsPerS(*gpu_, DType::kTf32);
  const double flops = kFusedAttentionWork * part.efficiency.flops;
  if (own <= 0) return;
  const double bytes = BytesWithoutScores(kind->leading, part.efficiency.bytes);
  const double bandwidth = gpu_->bandwidth_bytes_per_s;
  AddTo(Avoidable::kComposedAttention, part,
        {1e9 * std::max(kCausalShare * flops / half, bytes / bandwidth),
         1e9 * std::max(flops / (kWorstAttentionShare * own),
                        bytes / (kWorstBandwidthShare * bandwidth))});
}

void AvoidableKeeper::AddComposite(const Part& part) {
  if (part.attributed.layer_class == LayerClass::kAttention) {
    if (gpu_ != nullptr) AddAttention(part);
  } else if (part.attributed.layer_class == LayerClass::kRnn) {
    const bool product = part.attributed.work.known();
    AddTo(Avoidable::kCellLoop, part,
          {(product ? kLayerProductsBest : kLayerGatesBest) * part.ns,
           (product || has_fused_cells_ ? 1.0 : kLayerGatesWorst) * part.ns});
  }
}

// Casts are no transposes: they stay whatever the layout is.
void AvoidableKeeper::AddTransposes(const Part& part) {
  if ((part.traits & kTransposeName) == 0) return;
  const Attributed* layer = &part.attributed;
  const WorkKind* kind = KindOf(*layer);
  if (layer->glue_of.known()) {
    layer = &attribution_.activities[layer->glue_of.value()];
    kind = KindOf(*layer);
    if (kind != nullptr &&
        !MayBeOperandOf(kind->leading, part.efficiency.bytes)) {
      return;
    }
  }
  if (layer->layer_class != LayerClass::kConv) return;
  AddTo(Avoidable::kTransposes, part, {0, 0.1 * part.ns});
  if (kind != nullptr && IsOfLines(kind->leading)) {
    out_.line_transposes_ns += static_cast<int64_t>(part.ns);
  }
  if (layer == &part.attributed) {
    AddTo(Avoidable::kInnerTransposes, part, {0, 0.1 * part.ns});
  }
}

// From FP32 to a type of two bytes. Which of a product's operands it makes, the
// number of elements tells, unless both have as many.
void AvoidableKeeper::AddCast(const Part& part) {
  constexpr double kBytesOfElement = 6;
  if (passes_ == 0 || part.attributed.direction != Direction::kForward ||
      (part.traits & kCastName) == 0 || !part.attributed.glue_of.known() ||
      !part.is_new) {
    return;
  }
  const WorkKind* kind =
      KindOf(attribution_.activities[part.attributed.glue_of.value()]);
  if (kind == nullptr) return;
  const opmodel::Operation& op = kind->leading;
  using opmodel::Dim;
  const auto weights = static_cast<double>(op[Dim::kM] * op[Dim::kK]);
  if (op[Dim::kM] == op[Dim::kN] || weights == 0) return;
  const double elements = part.efficiency.bytes / kBytesOfElement;
  if (std::abs(elements - weights) > 0.01 * weights) return;
  AddTo(Avoidable::kRepeatedCasts, part, {0, 0.1 * part.ns});
}

// Other streams' chains are not looked for.
void AvoidableKeeper::FollowChain(const Part& part) {
  const Attributed& attributed = part.attributed;
  const uint64_t traits = part.traits;
  const bool is_cast = (traits & kCastName) != 0;
  const bool joins = (is_cast || IsPointwise(attributed)) &&
                     attributed.direction != Direction::kUpdate &&
                     (traits & kEagerName) != 0;
  if (!joins || part.activity.stream != chain_stream_) FinishChain();
  if (!joins) return;
  chain_stream_ = part.activity.stream;
  if (is_cast) {
    chain_.AddCast(part.ns, part.is_new);
  } else {
    chain_.Add(part.activity.name, part.ns, part.is_new);
  }
}

void AvoidableKeeper::FinishChain() {
  if (chain_.IsLong()) {
    AvoidableSums& sums = Of(Avoidable::kPointwise);
    sums.count += chain_.count();
    sums.ns += static_cast<int64_t>(chain_.ns());
    sums.best_ns += chain_.best_ns();
    sums.worst_ns += std::min(chain_.worst_ns(), chain_.ns());
    window_ns_[static_cast<size_t>(Avoidable::kPointwise)] += chain_.ns();
  }
  chain_ = {};
}

// The zeros are what clears memory for a table's gradient.
void AvoidableKeeper::FollowTables(const Part& part) {
  const Attributed& attributed = part.attributed;
  if (attributed.direction == Direction::kUpdate) tables_.AddUpdate(part.ns);
  if (attributed.layer_class == LayerClass::kEmbedding &&
      attributed.direction == Direction::kForward) {
    tables_.AddLookup(part.ns);
  }
  if (attributed.glue != Glue::kFill || !attributed.glue_of.known()) return;
  const Attributed& layer = attribution_.activities[attributed.glue_of.value()];
  if (layer.layer_class != LayerClass::kEmbedding ||
      !IsBackward(layer.direction)) {
    return;
  }
  const double bytes = part.activity.kind == ActivityKind::kMemset
                           ? static_cast<double>(part.activity.bytes)
                           : part.efficiency.bytes;
  tables_.AddZeros(bytes, part.ns, part.is_new);
  window_ns_[static_cast<size_t>(Avoidable::kDenseTables)] += part.ns;
}

// What a kernel's work takes at least where it is much, at shares of the peaks
// that even badly shaped ones reach.
std::optional<double> AvoidableKeeper::WorkNs(const Part& part) const {
  const Efficiency& work = part.efficiency;
  if (gpu_ == nullptr || work.bytes <= 0) return std::nullopt;
  const WorkKind* kind = KindOf(part.attributed);
  const DType math = kind == nullptr ? DType::kF32 : kind->leading.math;
  const double flops_per_s = opmodel::PeakFlopsPerS(*gpu_, math);
  if (flops_per_s <= 0) return std::nullopt;
  return 1e9 * std::max(work.flops / (kWorstTensorShare * flops_per_s),
                        work.bytes / (kWorstBandwidthShare *
                                      gpu_->bandwidth_bytes_per_s));
}

void AvoidableKeeper::FollowMicroBatches(const Part& part) {
  const Direction direction = part.attributed.direction;
  EqualPasses::Kernel kernel{part.activity.name, part.ns, WorkNs(part),
                             part.is_new};
  if (part.attributed.layer_class == LayerClass::kComm) {
    FollowAllReduces(part);
  } else if (direction == Direction::kForward) {
    kernel.weights = SentWeights(part);
    micro_batches_.AddForward(kernel);
  } else if (IsBackward(direction)) {
    micro_batches_.AddBackward(kernel);
  } else if (direction == Direction::kUpdate) {
    FinishMicroBatches();
  }
}

void AvoidableKeeper::FinishMicroBatches() {
  const std::optional<EqualPasses::Sums> sums = micro_batches_.Take();
  if (!sums) return;
  AddSums(Avoidable::kMicroBatches, {.count = sums->passes,
                                     .ns = static_cast<int64_t>(sums->ns),
                                     .best_ns = sums->first_ns,
                                     .worst_ns = sums->merged_ns});
  AddSums(Avoidable::kGradientSends,
          {.count = sums->sends.count,
           .ns = static_cast<int64_t>(sums->sends.ns),
           .best_ns = sums->sends.last_ns,
           .worst_ns = sums->sends.last_ns});
}

// Counts the passes forward and backward of a window.
void AvoidableKeeper::FollowPasses(const Attributed& attributed) {
  const Direction direction = attributed.direction;
  if (direction == Direction::kForward) {
    passes_ += in_backward_ ? 1 : 0;
    in_backward_ = false;
  } else if (IsBackward(direction)) {
    in_backward_ = true;
  }
}

void AvoidableKeeper::Add(size_t index, int64_t inside_ns,
                          const Efficiency& efficiency, bool is_new) {
  const Activity& activity = process_.activities[index];
  const Attributed& attributed = attribution_.activities[index];
  EnterWindowOf(activity);
  const Part part{activity,   attributed,
                  efficiency, static_cast<double>(inside_ns),
                  is_new,     TraitsOf(activity)};
  if (attributed.autotune) {
    AddTo(Avoidable::kTrials, part, {});
    return;
  }
  const Attributed* layer = &attributed;
  if (attributed.glue == Glue::kMove && attributed.glue_of.known()) {
    layer = &attribution_.activities[attributed.glue_of.value()];
  }
  const bool beside_attention = layer != &attributed &&
                                layer->class_from == ClassFrom::kComposite &&
                                layer->layer_class == LayerClass::kAttention;
  if (beside_attention && gpu_ != nullptr) {
    AddTo(Avoidable::kComposedAttention, part, {0, part.ns});
  }
  FollowTables(part);
  FollowUploads(part);
  FollowOtherUses(part);
  FollowBucketCopies(part);
  FollowSorts(part);
  if (activity.kind != ActivityKind::kKernel) return;
  FollowPasses(attributed);
  FollowChain(part);
  if (attributed.direction == Direction::kRecompute) {
    AddTo(Avoidable::kRecompute, part, {});
  }
  AddCast(part);
  AddProducts(part);
  AddOddSizes(part);
  AddFp64(part);
  if (attributed.direction == Direction::kUpdate) {
    AddUpdate(part);
  } else if (attributed.direction != Direction::kNone) {
    FinishUpdateRun();
  }
  FollowMicroBatches(part);
  // Their own names make them cells. What lies beside them adds gradients up,
  // as a layer does, too.
  has_fused_cells_ |= (part.traits & kFusedCellName) != 0;
  if (attributed.class_from == ClassFrom::kComposite) AddComposite(part);
  AddTransposes(part);
  FollowCaches(part);
  FollowSlices(part);
  FollowCasts(part);
  FollowWeights(part);
  FollowForms(part);  // before the kernel counts as one of the last product
  FollowParts(part);
  FollowExtraPasses(part);
  AddCellCall(part);
}

void AvoidableKeeper::EnterWindowOf(const Activity& activity) {
  if (window_ + 1 >= windows_.size() ||
      windows_[window_].span.end_ns > activity.begin_ns) {
    return;
  }
  CloseWindow();
  while (window_ + 1 < windows_.size() &&
         windows_[window_].span.end_ns <= activity.begin_ns) {
    ++window_;
  }
}

void AvoidableKeeper::CloseWindow() {
  FinishChain();
  FinishUpdateRun();
  FinishMicroBatches();
  FinishSlices();
  FinishManyTables();
  FinishUnfolds();
  FinishTokens();
  FinishUploads();
  FinishParts();
  buckets_.EndWindow();
  const auto whole = static_cast<double>(windows_[window_].span.length_ns());
  for (size_t i = 0; i < kAvoidables; ++i) {
    const bool shows =
        window_ns_[i] > 0 && window_ns_[i] * kNoticeable >= whole;
    out_.sums[i].windows += shows ? 1 : 0;
  }
  window_ns_ = {};
  in_backward_ = false;
  passes_ = 0;
}

void AvoidableKeeper::FinishTables() {
  AvoidableSums& sums = Of(Avoidable::kDenseTables);
  for (const WorkKind& kind : attribution_.work_kinds) {
    tables_.AddProduct(kind.leading);
  }
  const DenseTables::Sums tables = tables_.Take();
  if (tables.count == 0) {
    sums = {};
    return;
  }
  sums.count = tables.count;
  sums.ns = static_cast<int64_t>(tables.ns);
  sums.worst_ns = tables.worst_ns;
}

AvoidableWork AvoidableKeeper::Take() {
  FinishZeros();
  if (has_update_) FinishUnusedGradients();
  if (!windows_.empty()) CloseWindow();
  FinishUpdates();
  FinishTables();
  if (attention_products_ns_ <= 0) Of(Avoidable::kComposedAttention) = {};
  return out_;
}

}  // namespace dltap::analyzer
