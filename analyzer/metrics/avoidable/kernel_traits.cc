// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/kernel_traits.h"

#include <algorithm>
#include <initializer_list>

#include "analyzer/attribution/base/glue.h"
#include "analyzer/attribution/names/name_rules.h"

namespace dltap::analyzer {
namespace {

bool HasAny(std::string_view name,
            std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [name](auto part) {
    return name.find(part) != std::string_view::npos;
  });
}

// Of PyTorch's kernels that together are a form of something else.
void SetOfForms(std::string_view name, uint64_t& traits) {
  const auto set = [&](bool has, Trait trait) {
    if (has) traits |= trait;
  };
  set(HasAny(name, {"CompareEqFunctor"}), kComparisonName);
  set(HasAny(name, {"or_kernel_cuda"}), kAnyName);
  set(HasAny(name, {"_scatter_gather_elementwise_kernel"}), kScatterName);
  set(HasAny(name, {"compute_grad_weight", "embedding_backward"}),
      kTableGradientName);
  set(HasAny(name, {"im2col", "vol2col"}), kUnfoldName);
  set(HasAny(name, {"col2im", "vol2im", "col2vol"}), kFoldName);
  set(HasAny(name, {"cunn_SoftMax"}) && HasAny(name, {"LogSoftMax"}) &&
          HasAny(name, {"float, float, float"}),
      kWideSoftmaxName);
}

// Of PyTorch's kernels beside a layer's own.
void SetOfLayers(std::string_view name, uint64_t& traits) {
  const auto set = [&](bool has, Trait trait) {
    if (has) traits |= trait;
  };
  set(HasAny(name, {"native::elementwise_kernel<"}) &&
          HasAny(name, {"CUDAFunctor_add<"}),
      kBroadcastSumName);
  set(FillsWholeNumbers(name), kWholeFillName);
  set(HasAny(name, {"batch_norm_collect_statistics", "bn_fw_tr",
                    "nhwc_batch_norm_fwd"}),
      kBatchMeanName);
  // One that fits a warp tells by an argument whether it is a logarithm.
  const bool fits_warp = HasAny(name, {"softmax_warp_"});
  const bool is_softmax =
      fits_warp || HasAny(name, {"SoftMaxForward", "SoftMaxBackward"});
  const bool is_log = HasAny(name, {fits_warp ? ", true, " : "LogSoftMax"});
  set(is_softmax, is_log ? kLogSoftmaxName : kSoftmaxName);
  set(HasAny(name, {"nll_loss"}), kClassLossName);
  set(HasAny(name, {"MulFunctor<"}), kMultiplicationName);
  set(HasAny(name, {"index_elementwise_kernel", "vectorized_gather_kernel",
                    "indexSelect"}),
      kGatherName);
  set(HasAny(name, {"indexFuncLargeIndex", "indexFuncSmallIndex"}),
      kSumOfRowsName);
  set(HasAny(name, {"SegmentedRadixSort", "radixSortKVInPlace",
                    "bitonicSortKVInPlace", "warpMergeSortKVInPlace"}),
      kSortName);
  set(HasAny(name, {"native::reduce_kernel"}), kReductionName);
}

}  // namespace

uint64_t TraitsOfKernel(std::string_view name) {
  uint64_t traits = kAsked;
  const auto set = [&](bool has, Trait trait) {
    if (has) traits |= trait;
  };
  set(HasAny(name, {"tf32", "s1688", "s16816", "bf16", "f16f16", "hmma"}),
      kTensorCoreName);
  set(HasAny(name, {"nchwToNhwc", "nhwcToNchw", "nchw2nhwc", "nhwc2nchw",
                    "BatchedTranspose", "SwapDimension", "ShuffleInTensor3",
                    "transpose_fusion", "wrapped_transpose"}),
      kTransposeName);
  // Of PyTorch: a copy into another order of the dimensions.
  set(HasAny(name, {"elementwise_kernel<128", "elementwise_kernel<512"}) &&
          HasAny(name, {"direct_copy_kernel"}) &&
          !HasAny(name, {"vectorized_", "unrolled_"}) && !IsCast(name),
      kTransposeName);
  set(IsCast(name), kCastName);
  set(HasAny(name, {"nccl", "NCCL"}) && HasAny(name, {"AllReduce"}),
      kAllReduceName);
  // PyTorch's operators on lists; other libraries' functors are whole updates,
  // but for norms of gradients.
  const bool of_lists = HasAny(name, {"multi_tensor_apply_kernel"});
  const bool one_operator =
      HasAny(name, {"BinaryOp", "UnaryOp", "TernaryOp", "PointwiseOp"});
  set(of_lists && one_operator, kListName);
  set(of_lists && HasAny(name, {"BinaryOpListAlphaFunctor"}), kListSumName);
  const bool zeroes_lists = of_lists && HasAny(name, {"ZeroFunctor"});
  set(zeroes_lists, kZeroListName);
  set((of_lists && !one_operator && !zeroes_lists && !HasAny(name, {"Norm"})) ||
          HasAny(name, {"Fused", "fused_adam", "fused_sgd"}),
      kFusedUpdateName);
  set(HasAny(name, {"elementwise_kernel", "distribution_elementwise",
                    "native::reduce_kernel", "EigenMetaKernel",
                    "mxnet_generic_kernel"}) &&
          !HasAny(name, {"multi_tensor_apply"}),
      kEagerName);
  set(HasAny(name, {"FillFunctor"}), kFillName);
  set(HasAny(name, {"vectorized_elementwise_kernel"}) &&
          HasAny(name, {"CUDAFunctor_add<", "CUDAFunctorOnSelf_add<"}),
      kSumName);
  set(HasAny(name, {"CatArrayBatchedCopy"}), kConcatenationName);
  set(HasAny(name, {"lstm_cell", "gru_cell"}), kFusedCellName);
  set(HasAny(name, {"addcdiv"}) ||
          (HasAny(name, {"PointwiseOpScalarListFunctor"}) &&
           HasAny(name, {"std::divides"})),
      kAddcdivName);
  set(HasAny(name, {"FusedAdam", "fused_adam", "addcdiv"}), kAdamName);
  SetOfForms(name, traits);
  SetOfLayers(name, traits);
  return traits;
}

}  // namespace dltap::analyzer
