// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_KERNEL_TRAITS_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_KERNEL_TRAITS_H_

#include <cstdint>
#include <string_view>

// What the name of a kernel tells of how it does its work.
namespace dltap::analyzer {

enum Trait : uint64_t {
  kAsked = 1,  // always: 0 is no answer
  kTensorCoreName = 2,
  kTransposeName = 4,
  kListName = 8,  // PyTorch's operators on lists of tensors
  kFusedUpdateName = 16,
  kAddcdivName = 32,
  kFusedCellName = 64,
  kCastName = 128,
  kEagerName = 256,  // one operation of a formula, of a framework's own
  kConcatenationName = 512,
  kListSumName = 1024,  // of kListName: adds one list, times a factor, to
                        // another
  kFillName = 2048,     // PyTorch's own, as the next
  kSumName = 4096,      // adds two tensors
  kComparisonName = 1 << 13,
  kAnyName = 1 << 14,       // whether any element is true
  kZeroListName = 1 << 15,  // fills a list of tensors with zeros
  kScatterName = 1 << 16,
  kWideSoftmaxName = 1 << 17,  // logarithm of one in FP32, or its gradient
  kAdamName = 1 << 18,
  kTableGradientName = 1 << 19,  // adds up rows of a table's gradient
  kAllReduceName = 1 << 20,
  kUnfoldName = 1 << 21,        // patches of a convolution to rows of a matrix
  kFoldName = 1 << 22,          // and back
  kBroadcastSumName = 1 << 23,  // adds up two tensors, one of them broadcast
  kWholeFillName = 1 << 24,     // of kFillName: with whole numbers
  kBatchMeanName = 1 << 25,     // of a norm that takes its batch's mean
  kSoftmaxName = 1 << 26,       // or the gradient of one, as the next
  kLogSoftmaxName = 1 << 27,    // its logarithm
  kClassLossName = 1 << 28,     // of one class by index, and its gradient
  kMultiplicationName = 1 << 29,  // of elements
  kGatherName = 1 << 30,          // of rows by index
  kSumOfRowsName = 1ULL << 31,    // added to rows by index
  kSortName = 1ULL << 32,
  kReductionName = 1ULL << 33  // PyTorch's own
};

uint64_t TraitsOfKernel(std::string_view demangled);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_KERNEL_TRAITS_H_
