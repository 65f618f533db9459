// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_AVOIDABLE_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_AVOIDABLE_H_

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/metrics/avoidable/dense_tables.h"
#include "analyzer/metrics/avoidable/double_softmax.h"
#include "analyzer/metrics/avoidable/equal_passes.h"
#include "analyzer/metrics/avoidable/expert_loop.h"
#include "analyzer/metrics/avoidable/extra_passes.h"
#include "analyzer/metrics/avoidable/gradient_buckets.h"
#include "analyzer/metrics/avoidable/gradient_checks.h"
#include "analyzer/metrics/avoidable/grown_arrays.h"
#include "analyzer/metrics/avoidable/grown_caches.h"
#include "analyzer/metrics/avoidable/many_tables.h"
#include "analyzer/metrics/avoidable/needless_casts.h"
#include "analyzer/metrics/avoidable/norm_biases.h"
#include "analyzer/metrics/avoidable/one_hot.h"
#include "analyzer/metrics/avoidable/overwritten_fills.h"
#include "analyzer/metrics/avoidable/pass_uploads.h"
#include "analyzer/metrics/avoidable/pointwise_chain.h"
#include "analyzer/metrics/avoidable/repeated_tokens.h"
#include "analyzer/metrics/avoidable/shared_experts.h"
#include "analyzer/metrics/avoidable/single_passes.h"
#include "analyzer/metrics/avoidable/sliced_gradients.h"
#include "analyzer/metrics/avoidable/sorted_tops.h"
#include "analyzer/metrics/avoidable/split_products.h"
#include "analyzer/metrics/avoidable/stacked_samples.h"
#include "analyzer/metrics/avoidable/unfolded_convolutions.h"
#include "analyzer/metrics/avoidable/unused_gradients.h"
#include "analyzer/metrics/avoidable/update_run.h"
#include "analyzer/metrics/avoidable/weight_penalties.h"
#include "analyzer/metrics/avoidable/wide_logits.h"
#include "analyzer/metrics/avoidable/zeroed_gradients.h"
#include "analyzer/metrics/base/efficiency.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/trace_model.h"
#include "opmodel/gpu_table.h"

// Work of a device that frameworks can do in a quicker way, and what that way
// would take. METRICS.md "Avoidable work".
namespace dltap::analyzer {

enum class Avoidable : uint8_t {
  kFp32Products,          // tensor cores could multiply
  kFp32Convolutions,      // the same
  kFp64,                  // double precision
  kTensorUpdate,          // an update's kernels, each of one tensor
  kListUpdate,            // an update's kernels, each of a list of tensors
  kBeforeUpdate,          // kernels of a tensor each, before a fused update
  kAfterUpdate,           // the same after it
  kComposedAttention,     // of products and a softmax
  kCellLoop,              // recurrent cells of products and pointwise kernels
  kTrials,                // of implementations, inside used steps
  kTransposes,            // next to or inside convolutions
  kInnerTransposes,       // of these, inside their calls
  kRepeatedCasts,         // of weights, in a step's second pass and later
  kRecompute,             // of the forward pass, in the backward pass
  kPointwise,             // chains of single operations
  kDenseTables,           // gradients of tables of which few rows are used
  kMicroBatches,          // passes over parts of a batch
  kGrownCaches,           // keys and values that are copied to grow by a token
  kSlicedGradients,       // gradients of the whole for each slice of a tensor
  kNeedlessCasts,         // to another type and back
  kExtraPasses,           // forward, which no backward pass follows
  kCellCalls,             // of cuDNN's recurrent layers, a time step each
  kGradientChecks,        // of each gradient, in the backward pass
  kZeroedGradients,       // zeros, and what is added to them
  kManyTables,            // lookups of few rows, one after the other
  kOneHot,                // products that only take rows out of a table
  kWideLogits,            // casts to FP32, and the softmax of that
  kUnusedGradients,       // of weights; more than the update can have read
  kGradientSends,         // in each pass, of gradients that passes add up
  kBucketCopies,          // of gradients, out of what ranks reduce, and into it
  kUnfoldedConvolutions,  // of a sample each, as products
  kRepeatedTokens,        // of a sequence, with each token that joins it
  kPassUploads,           // copies of what the host makes for a layer
  kOddSizes,              // products of rows that no load of 16 bytes fits
  kNormBiases,            // of convolutions, which a norm takes away again
  kDoubleSoftmax,         // before a loss that takes it itself
  kGrownArrays,           // copied to append a part, in a loop
  kSinglePasses,          // over one sample each
  kSplitProducts,         // of one input, with many small matrices
  kStackedSamples,        // work on each by itself, before they are joined
  kOverwrittenFills,      // of what is written right behind them
  kExpertLoop,            // one expert after the other
  kSharedExperts,         // the same, of one input
  kSortedTops,            // sorts of which few numbers are used
  kWeightPenalties,       // of tensor after tensor
  kCount
};
inline constexpr size_t kAvoidables = static_cast<size_t>(Avoidable::kCount);
std::string_view Name(Avoidable kind);

// Sums over the windows of a device.
struct AvoidableSums {
  uint64_t count = 0;    // activities
  int64_t ns = 0;        // of them
  double best_ns = 0;    // what the quicker way takes at best
  double worst_ns = 0;   // and at worst
  uint64_t windows = 0;  // of which they are 2 % at least

  void Add(const AvoidableSums& other);
  auto operator<=>(const AvoidableSums&) const = default;
};

struct AvoidableWork {
  std::array<AvoidableSums, kAvoidables> sums{};
  // The length of one of the odd rows; 0: there are none.
  int64_t odd_row = 0;
  // Copies of the framework's own: what sorts work on, and backward.
  int64_t own_copies_ns = 0;
  // Of transposes, of convolutions over one dimension.
  int64_t line_transposes_ns = 0;

  const AvoidableSums& of(Avoidable kind) const {
    return sums[static_cast<size_t>(kind)];
  }
  void Add(const AvoidableWork& other);
  auto operator<=>(const AvoidableWork&) const = default;
};

// Fills the table of one device, which must outlive it as all that it is given.
// Activities come in time. `gpu` may be null: what needs its peaks stays empty.
class AvoidableKeeper {
 public:
  AvoidableKeeper(const TraceModel& model, const Process& process,
                  const ProcessAttribution& attribution,
                  const std::vector<StepWindow>& windows,
                  const opmodel::GpuSpec* gpu)
      : model_(model),
        process_(process),
        attribution_(attribution),
        windows_(windows),
        gpu_(gpu),
        sends_(HasCollectives(model)),
        traits_(model.texts.size()),
        unused_(MemoryOf(gpu)),
        tables_(gpu == nullptr ? 0 : 1e-9 * gpu->bandwidth_bytes_per_s) {}

  // `inside_ns` of the activity lie in the windows, with that work;
  // `is_new`: it was not counted before.
  void Add(size_t activity, int64_t inside_ns, const Efficiency& efficiency,
           bool is_new);
  AvoidableWork Take();

 private:
  // Of tensor cores' peak, what even badly shaped products reach.
  static constexpr double kWorstTensorShare = 0.35;

  // What an activity would take in the quicker way.
  struct Times {
    double best_ns;
    double worst_ns;
  };
  struct Part {
    const Activity& activity;
    const Attributed& attributed;
    const Efficiency& efficiency;
    double ns;
    bool is_new;
    uint64_t traits;  // of the kernel's name
  };

  static bool HasCollectives(const TraceModel& model);
  static UnusedGradients::Memory MemoryOf(const opmodel::GpuSpec* gpu);
  uint64_t TraitsOf(const Activity& activity);
  const WorkKind* KindOf(const Attributed& attributed) const;
  static bool IsOneProduct(const Attributed& attributed,
                           const opmodel::Operation& op);
  uint64_t FirstOperand(const Attributed& attributed) const;
  Times ByTensorCores(const Part& part, const opmodel::Operation& op,
                      opmodel::DType worst) const;
  void AddProducts(const Part& part);
  void AddOddSizes(const Part& part);
  void AddFp64(const Part& part);
  void AddUpdate(const Part& part);
  void AddBesideUpdate(Avoidable side, const UpdateKernel& kernel);
  void AddToUpdate(const UpdateKernel& kernel);
  void FinishUpdateRun();
  std::optional<double> WorkNs(const Part& part) const;
  void FollowMicroBatches(const Part& part);
  void FinishMicroBatches();
  void FollowAllReduces(const Part& part);
  void FollowBucketCopies(const Part& part);
  EqualPasses::Weights SentWeights(const Part& part) const;
  void AddComposite(const Part& part);
  static double BytesWithoutScores(const opmodel::Operation& op, double bytes);
  void AddAttention(const Part& part);
  void AddTransposes(const Part& part);
  void FollowCaches(const Part& part);
  void FollowSlices(const Part& part);
  void FinishSlices();
  void FollowCasts(const Part& part);
  void FollowExtraPasses(const Part& part);
  void AddCellCall(const Part& part);
  void FollowForms(const Part& part);
  void FollowNormBiases(const Part& part);
  void FollowDoubleSoftmax(const Part& part);
  void FollowGrownArrays(const Part& part);
  std::optional<SinglePasses::Input> InputOf(const Part& part) const;
  void FollowSinglePasses(const Part& part);
  void FollowSplitProducts(const Part& part);
  uint64_t BlocksOf(const Activity& activity) const;
  double BytesNs(double bytes) const;
  void FollowStackedSamples(const Part& part);
  void FollowFills(const Part& part);
  void FollowExperts(const Part& part);
  void FollowSharedExperts(const Part& part);
  void FollowSorts(const Part& part);
  void FollowPenalties(const Part& part);
  void FollowParts(const Part& part);
  void FinishParts();
  void FollowGradientChecks(const Part& part);
  void FollowZeros(const Part& part);
  void FinishZeros();
  void FollowManyTables(const Part& part);
  void FinishManyTables();
  void FollowOneHot(const Part& part);
  void AddOneHot(const OneHot::Sums& sums, const opmodel::Operation& op);
  void FollowWideLogits(const Part& part);
  void FollowWeights(const Part& part);
  void FinishTokens();
  void FollowUploads(const Part& part);
  void FinishUploads();
  void FollowUnfolds(const Part& part);
  void FinishUnfolds();
  void FollowOtherUses(const Part& part);
  void FollowUnusedGradients(const Part& part);
  bool ReadsWeights(const Attributed& attributed) const;
  void FinishUnusedGradients();
  void AddCast(const Part& part);
  void FollowChain(const Part& part);
  void FinishChain();
  void FollowTables(const Part& part);
  void FollowPasses(const Attributed& attributed);
  void AddTo(Avoidable kind, const Part& part, Times times);
  void AddSums(Avoidable kind, const AvoidableSums& more);
  void EnterWindowOf(const Activity& activity);
  void CloseWindow();
  void FinishUpdates();
  void FinishTables();
  AvoidableSums& Of(Avoidable kind) {
    return out_.sums[static_cast<size_t>(kind)];
  }

  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  const std::vector<StepWindow>& windows_;
  const opmodel::GpuSpec* const gpu_;
  const bool sends_;              // the program calls NCCL
  std::vector<uint64_t> traits_;  // by name; 0: not asked yet
  size_t window_ = 0;
  PointwiseChain chain_;
  UpdateRun update_;
  EqualPasses micro_batches_;
  GradientBuckets buckets_;
  GrownCaches caches_;
  SlicedGradients slices_;
  NeedlessCasts casts_;
  ExtraPasses extra_passes_;
  GradientChecks checks_;
  ZeroedGradients zeroed_;
  bool zeros_before_backward_ = false;  // and that has begun
  ManyTables many_tables_;
  OneHot one_hot_;
  WideLogits wide_logits_;
  UnfoldedConvolutions unfolded_;
  RepeatedTokens tokens_;
  PassUploads uploads_;
  UnusedGradients unused_;
  NormBiases norm_biases_;
  DoubleSoftmax double_softmax_;
  GrownArrays grown_arrays_;
  SinglePasses single_passes_;
  SplitProducts split_products_;
  StackedSamples stacked_samples_;
  OverwrittenFills fills_;
  ExpertLoop experts_;
  SharedExperts shared_experts_;
  SortedTops sorted_tops_;
  WeightPenalties penalties_;
  bool has_update_ = false;  // since the last product
  CallId last_product_;      // the call
  StreamId chain_stream_;
  DenseTables tables_;
  bool in_backward_ = false;
  size_t passes_ = 0;  // of the window, that ended
  bool has_fused_cells_ = false;
  std::array<double, kAvoidables> window_ns_{};
  double attention_products_ns_ = 0;
  double longest_odd_ns_ = 0;
  // What kernels of one tensor do in updates.
  struct TensorSums {
    uint64_t count = 0;
    int64_t ns = 0;
    double bytes = 0;
    double addcdiv_bytes = 0;  // of these, where Adam's last operation is
  };
  TensorSums tensors_;
  TensorSums untold_;  // of these, in runs that may be something else
  bool tells_update_ = false;
  double list_addcdiv_ns_ = 0;
  AvoidableWork out_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_AVOIDABLE_H_
