// SPDX-License-Identifier: Apache-2.0
#include "analyzer/advice/rules.h"

namespace dltap::analyzer {
namespace {

constexpr bool kAlsoOfARank = true;
constexpr bool kOfAll = false;
constexpr uint8_t kNeedsGpuWork = kNeedsCounts | kNeedsClasses;

constexpr Rule kRules[] = {
    {"input", kNeedsCounts | kNeedsHostTimes, kAlsoOfARank, AdviseInput},
    {"pageable", kNeedsCounts, kAlsoOfARank, AdvisePageable},
    {"copy_overlap", kNeedsCounts, kAlsoOfARank, AdviseCopyOverlap},
    {"small_uploads", kNeedsCounts, kOfAll, AdviseSmallUploads},
    {"download", kNeedsCounts, kOfAll, AdviseDownload},
    {"sync_reads", kNeedsCounts | kNeedsHostTimes, kOfAll, AdviseSyncReads},
    {"syncs", kNeedsCounts | kNeedsHostTimes, kOfAll, AdviseSyncs},
    {"frees", kNeedsCounts | kNeedsHostTimes, kOfAll, AdviseFrees},
    {"small_kernels", kNeedsCounts | kNeedsHostTimes, kOfAll,
     AdviseSmallKernels},
    {"blocked", kNeedsCounts | kNeedsHostTimes, kAlsoOfARank, AdviseBlocked},
    {"pauses", kNeedsCounts | kNeedsHostTimes, kAlsoOfARank, AdvisePauses},
    {"comm", kNeedsCounts | kNeedsClasses, kOfAll, AdviseComm},
    {"tensor_cores", kNeedsGpuWork, kOfAll, AdviseTensorCores},
    {"odd_sizes", kNeedsGpuWork, kOfAll, AdviseOddSizes},
    {"fp64", kNeedsGpuWork, kOfAll, AdviseFp64},
    {"optimizer", kNeedsGpuWork, kOfAll, AdviseOptimizer},
    {"tensor_by_tensor", kNeedsGpuWork, kOfAll, AdviseTensorByTensor},
    {"attention", kNeedsGpuWork, kOfAll, AdviseAttention},
    {"rnn_loop", kNeedsGpuWork, kOfAll, AdviseRnnLoop},
    {"autotune", kNeedsCounts, kOfAll, AdviseAutotune},
    {"layout", kNeedsGpuWork, kOfAll, AdviseLayout},
    {"cast", kNeedsGpuWork, kOfAll, AdviseCast},
    {"pointwise", kNeedsGpuWork, kOfAll, AdvisePointwise},
    {"embedding", kNeedsGpuWork, kOfAll, AdviseEmbedding},
    {"checkpoint", kNeedsGpuWork, kOfAll, AdviseCheckpoint},
    {"grown_caches", kNeedsGpuWork, kOfAll, AdviseGrownCaches},
    {"repeated_tokens", kNeedsGpuWork, kOfAll, AdviseRepeatedTokens},
    {"micro_batches", kNeedsGpuWork, kOfAll, AdviseMicroBatches},
    {"sliced_gradients", kNeedsGpuWork, kOfAll, AdviseSlicedGradients},
    {"needless_casts", kNeedsGpuWork, kOfAll, AdviseNeedlessCasts},
    {"copies", kNeedsGpuWork, kOfAll, AdviseCopies},
    {"extra_passes", kNeedsGpuWork, kOfAll, AdviseExtraPasses},
    {"gradient_checks", kNeedsGpuWork, kOfAll, AdviseGradientChecks},
    {"zeroed_gradients", kNeedsGpuWork, kOfAll, AdviseZeroedGradients},
    {"unused_gradients", kNeedsGpuWork, kOfAll, AdviseUnusedGradients},
    {"many_tables", kNeedsGpuWork, kOfAll, AdviseManyTables},
    {"one_hot", kNeedsGpuWork, kOfAll, AdviseOneHot},
    {"wide_logits", kNeedsGpuWork, kOfAll, AdviseWideLogits},
    {"gradient_sends", kNeedsGpuWork, kOfAll, AdviseGradientSends},
    {"wide_gradients", kNeedsCounts | kNeedsClasses, kOfAll,
     AdviseWideGradients},
    {"bucket_copies", kNeedsGpuWork, kOfAll, AdviseBucketCopies},
    {"unfolded_convolutions", kNeedsGpuWork, kOfAll,
     AdviseUnfoldedConvolutions},
    {"norm_biases", kNeedsGpuWork, kOfAll, AdviseNormBiases},
    {"double_softmax", kNeedsGpuWork, kOfAll, AdviseDoubleSoftmax},
    {"grown_arrays", kNeedsGpuWork, kOfAll, AdviseGrownArrays},
    {"single_passes", kNeedsGpuWork, kOfAll, AdviseSinglePasses},
    {"split_products", kNeedsGpuWork, kOfAll, AdviseSplitProducts},
    {"stacked_samples", kNeedsGpuWork, kOfAll, AdviseStackedSamples},
    {"overwritten_fills", kNeedsGpuWork, kOfAll, AdviseOverwrittenFills},
    {"expert_loop", kNeedsGpuWork, kOfAll, AdviseExpertLoop},
    {"shared_experts", kNeedsGpuWork, kOfAll, AdviseSharedExperts},
    {"sorted_tops", kNeedsGpuWork, kOfAll, AdviseSortedTops},
    {"weight_penalties", kNeedsGpuWork, kOfAll, AdviseWeightPenalties},
};

}  // namespace

std::span<const Rule> AllRules() { return kRules; }

}  // namespace dltap::analyzer
