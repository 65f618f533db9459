// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/launch_cost.h"

#include <algorithm>
#include <string_view>

#include "simgpu/torch/launch_readers.h"
#include "simgpu/torch/mangled_name.h"

namespace dltap::simgpu {
namespace {

constexpr LaunchCostRule kTellsNothing{
    .read = [](const LaunchCostRule&,
               const LaunchView&) { return LaunchCost{}; },
    .name = "",
    .element_bytes = 0,
    .operands = 0};

// Arguments: int or int64 count of elements, ...
template <typename Count>
LaunchCost ReadCount(const LaunchCostRule& rule, const LaunchView& launch) {
  const auto elements = static_cast<double>(ReadArgument<Count>(launch, 0));
  return {.bytes =
              std::max(0.0, elements * rule.operands * rule.element_bytes)};
}

// (output, input, indices, int count, int64 slice_bytes, ...)
LaunchCost ReadGather(const LaunchCostRule& rule, const LaunchView& launch) {
  const double bytes = static_cast<double>(ReadArgument<int32_t>(launch, 3)) *
                       static_cast<double>(ReadArgument<int64_t>(launch, 4));
  return {.bytes = std::max(0.0, bytes * rule.operands)};
}

// (indices, gradient, gradient of the table, int count, int64 stride, ...): a
// row is read and added to another one.
LaunchCost ReadEmbeddingGradient(const LaunchCostRule& rule,
                                 const LaunchView& launch) {
  const double elements =
      static_cast<double>(ReadArgument<int32_t>(launch, 3)) *
      static_cast<double>(ReadArgument<int64_t>(launch, 4));
  return {.bytes = std::max(0.0, elements * 3 * rule.element_bytes)};
}

// (int64 rows, int64 width, gradient, input, ...)
LaunchCost ReadColumnSums(const LaunchCostRule& rule,
                          const LaunchView& launch) {
  const double elements =
      static_cast<double>(ReadArgument<int64_t>(launch, 0)) *
      static_cast<double>(ReadArgument<int64_t>(launch, 1));
  return {.bytes = std::max(0.0, elements * 2 * rule.element_bytes)};
}

// (TensorInfo, TensorInfo, TensorInfo of the mask, total, ...)
LaunchCost ReadDropout(const LaunchCostRule& rule, const LaunchView& launch) {
  const double elements = static_cast<double>(ReadArgument<int32_t>(launch, 3));
  constexpr double kMaskBytes = 1;
  return {.bytes =
              std::max(0.0, elements * (2 * rule.element_bytes + kMaskBytes))};
}

using Traits = void (*)(std::string_view arguments, LaunchCostRule& rule);

// "...arrayIPcLm2EE...": the pointers that the kernel is given.
void TraitsOfArray(std::string_view arguments, LaunchCostRule& rule) {
  constexpr std::string_view kArray = "rrayIPcL";  // array, Array; Lm or Li
  const size_t array = arguments.find(kArray);
  if (array == std::string_view::npos) return;
  rule.operands = LeadingNumber(arguments.substr(array + kArray.size() + 1));
  rule.element_bytes = ElementBytes(arguments.substr(0, array));
}

// Strided kernels: a lambda over the index hides the functor and its arrays.
struct FunctorOperands {
  std::string_view mark;
  double operands;
};
constexpr FunctorOperands kFunctorOperands[] = {
    {"FillFunctor", 1},   {"BinaryFunctor", 3}, {"Functor_add", 3},
    {"BUnaryFunctor", 2}, {"AUnaryFunctor", 2}, {"where_kernel", 4},
    {"addcmul", 4},       {"addcdiv", 4},       {"lerp", 3},
};
constexpr double kCopyOperands = 2;

void TraitsOfStrided(std::string_view arguments, LaunchCostRule& rule) {
  // gpu_kernel_impl<FUNCTOR>(TensorIteratorBase&, ...)::{lambda(int)#1}
  const std::string_view call = arguments.substr(0, arguments.rfind("EUliE"));
  const std::string_view functor = call.substr(0, call.rfind("EEv"));
  rule.element_bytes = ElementBytes(functor);
  rule.operands = kCopyOperands;
  for (const FunctorOperands& row : kFunctorOperands) {
    if (functor.find(row.mark) == std::string_view::npos) continue;
    rule.operands = row.operands;
    // "AUnaryFunctor" holds no "BinaryFunctor"; the first row that fits counts.
    break;
  }
}

void TraitsOfFirstType(std::string_view arguments, LaunchCostRule& rule) {
  rule.element_bytes = FirstTypeBytes(arguments);
  rule.operands = 1;
}

// The size stands as OpaqueType<4>, or as the functor's types.
void TraitsOfIndexed(std::string_view arguments, LaunchCostRule& rule) {
  constexpr std::string_view kOpaque = "OpaqueTypeIL";  // Li or Lj
  const size_t at = arguments.find(kOpaque);
  rule.element_bytes =
      at == std::string_view::npos
          ? FirstTypeBytes(arguments)
          : LeadingNumber(arguments.substr(at + kOpaque.size() + 1));
  if (rule.element_bytes <= 0) rule.element_bytes = 4;
  rule.operands = kCopyOperands;
}

void TraitsOfBytes(std::string_view, LaunchCostRule& rule) {
  rule.element_bytes = 1;
  rule.operands = kCopyOperands;
}

struct Row {
  std::string_view mark;  // before the template's arguments
  LaunchCost (*read)(const LaunchCostRule&, const LaunchView&);
  Traits traits;
};

// The first row whose mark the name holds counts.
constexpr Row kRows[] = {
    {"vectorized_elementwise_kernelI", ReadCount<int32_t>, TraitsOfArray},
    {"unrolled_elementwise_kernelI", ReadCount<int32_t>, TraitsOfArray},
    {"24index_elementwise_kernelI", ReadCount<int64_t>, TraitsOfIndexed},
    {"18elementwise_kernelI", ReadCount<int32_t>, TraitsOfStrided},
    {"distribution_elementwise_grid_stride_kernelI", ReadCount<int64_t>,
     TraitsOfFirstType},
    {"vectorized_layer_norm_kernelI", ReadLayerNorm, TraitsOfFirstType},
    {"layer_norm_grad_input_kernelI", ReadLayerNormGradient, TraitsOfFirstType},
    {"layer_norm_grad_input_kernel_vectorizedI", ReadLayerNormGradient,
     TraitsOfFirstType},
    {"GammaBetaBackwardCUDAKernelTemplateI", ReadColumnSums, TraitsOfFirstType},
    {"cunn_SoftMaxForwardI", ReadSoftmaxRows, TraitsOfFirstType},
    {"cunn_SoftMaxForwardSmemI", ReadSoftmaxRows, TraitsOfFirstType},
    {"cunn_SoftMaxForwardGmemI", ReadSoftmaxRows, TraitsOfFirstType},
    {"cunn_SoftMaxForwardRegI", ReadSoftmaxRows, TraitsOfFirstType},
    {"cunn_SoftMaxBackwardI", ReadSoftmaxRowsGradient, TraitsOfFirstType},
    {"cunn_SoftMaxBackwardSmemI", ReadSoftmaxSharedGradient, TraitsOfFirstType},
    {"softmax_warp_forwardI", ReadSoftmaxWarp, TraitsOfFirstType},
    {"softmax_warp_backwardI", ReadSoftmaxWarpGradient, TraitsOfFirstType},
    {"13reduce_kernelI", ReadReduction, TraitsOfFirstType},
    {"multi_tensor_apply_kernelI", ReadTensorList, TraitsOfFirstType},
    {"flash_fwd_kernelI", ReadFlashAttention, TraitsOfFirstType},
    {"flash_bwd_dq_dk_dv_loop_seqk_parallel_kernelI",
     ReadFlashAttentionGradient, TraitsOfFirstType},
    {"fmha_cutlassF_", ReadCutlassAttention, TraitsOfFirstType},
    {"fmha_cutlassB_", ReadCutlassAttentionGradient, TraitsOfFirstType},
    {"CatArrayBatchedCopy", ReadConcatenation, TraitsOfIndexed},
    {"vectorized_gather_kernelI", ReadGather, TraitsOfBytes},
    {"embedding_backward_feature_kernelI", ReadEmbeddingGradient,
     TraitsOfFirstType},
    {"fused_dropout_kernel_vecI", ReadDropout, TraitsOfFirstType},
    {"20fused_dropout_kernelI", ReadDropout, TraitsOfFirstType},
};

}  // namespace

const LaunchCostRule* MakeLaunchCostRule(const char* mangled_name) {
  const std::string_view name = mangled_name;
  for (const Row& row : kRows) {
    const size_t at = name.find(row.mark);
    if (at == std::string_view::npos) continue;
    LaunchCostRule rule{.read = row.read,
                        .name = mangled_name,
                        .element_bytes = 0,
                        .operands = 0};
    row.traits(name.substr(at + row.mark.size()), rule);
    return new LaunchCostRule(rule);
  }
  return &kTellsNothing;
}

}  // namespace dltap::simgpu
