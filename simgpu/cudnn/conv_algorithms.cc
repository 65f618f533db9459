// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "simgpu/cudnn/conv_calls.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::GpuSpec;
using opmodel::Operation;
using opmodel::OpKind;

struct AlgorithmRow {
  OpKind kind;
  std::string_view engine;
  int algorithm;
};

constexpr AlgorithmRow kAlgorithms[] = {
    {OpKind::kConvForward, "implicit_precomp_gemm",
     CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM},
    {OpKind::kConvForward, "implicit_gemm",
     CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM},
    {OpKind::kConvForward, "winograd_2x2", CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD},
    {OpKind::kConvForward, "winograd_4x4",
     CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED},
    {OpKind::kConvForward, "fft_tiling", CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING},
    {OpKind::kConvBackwardData, "implicit_precomp_gemm",
     CUDNN_CONVOLUTION_BWD_DATA_ALGO_1},
    {OpKind::kConvBackwardData, "implicit_gemm",
     CUDNN_CONVOLUTION_BWD_DATA_ALGO_0},
    {OpKind::kConvBackwardData, "winograd_2x2",
     CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD},
    {OpKind::kConvBackwardData, "winograd_4x4",
     CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED},
    {OpKind::kConvBackwardData, "fft_tiling",
     CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING},
    {OpKind::kConvBackwardWeight, "implicit_precomp_gemm",
     CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1},
    {OpKind::kConvBackwardWeight, "implicit_gemm",
     CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0},
    {OpKind::kConvBackwardWeight, "winograd_4x4",
     CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED},
    {OpKind::kConvBackwardWeight, "fft_tiling",
     CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING},
};

// Of the last dimensions of a tensor or filter: 0 is the width.
template <typename Shape>
int64_t Spatial(const Shape& shape, int from_end) {
  return shape.rank > from_end + 2 ? shape.dims[shape.rank - 1 - from_end] : 1;
}

}  // namespace

Operation OperationOf(const ConvArguments& arguments) {
  Operation op{.kind = arguments.kind};
  if (arguments.x == nullptr || arguments.w == nullptr ||
      arguments.conv == nullptr || arguments.y == nullptr) {
    return op;
  }
  const auto& [kind, x, w, conv, y] = arguments;
  op.storage = DTypeOf(x->type);
  op.math = MathOf(op.storage, conv->math_type);
  op[Dim::kBatch] = x->dims[0];
  op[Dim::kChannelsIn] = x->dims[1];
  op[Dim::kChannelsOut] = y->dims[1];
  op[Dim::kWidthIn] = Spatial(*x, 0);
  op[Dim::kHeightIn] = Spatial(*x, 1);
  op[Dim::kDepthIn] = Spatial(*x, 2);
  op[Dim::kFilterWidth] = Spatial(*w, 0);
  op[Dim::kFilterHeight] = Spatial(*w, 1);
  op[Dim::kFilterDepth] = Spatial(*w, 2);
  op[Dim::kWidthOut] = Spatial(*y, 0);
  op[Dim::kHeightOut] = Spatial(*y, 1);
  op[Dim::kDepthOut] = Spatial(*y, 2);
  op[Dim::kGroups] = std::max(1, conv->groups);
  return op;
}

std::vector<ConvAlgorithm> AlgorithmsOf(const Operation& op,
                                        const GpuSpec& gpu) {
  std::vector<ConvAlgorithm> algorithms;
  for (const Engine& engine : EnginesOf(op, gpu)) {
    const auto* row = std::find_if(
        std::begin(kAlgorithms), std::end(kAlgorithms),
        [&](const AlgorithmRow& candidate) {
          return candidate.kind == op.kind && candidate.engine == engine.name;
        });
    const int algorithm = row == std::end(kAlgorithms) ? 0 : row->algorithm;
    const bool listed = std::any_of(
        algorithms.begin(), algorithms.end(),
        [&](const ConvAlgorithm& a) { return a.algorithm == algorithm; });
    if (!listed) algorithms.push_back({algorithm, engine});
  }
  return algorithms;
}

Engine EngineFor(const Operation& op, int algorithm, const GpuSpec& gpu) {
  const auto algorithms = AlgorithmsOf(op, gpu);
  const auto found = std::find_if(
      algorithms.begin(), algorithms.end(),
      [&](const ConvAlgorithm& a) { return a.algorithm == algorithm; });
  return found == algorithms.end() ? algorithms.front().engine : found->engine;
}

}  // namespace dltap::simgpu
