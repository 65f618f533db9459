// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string_view>

#include "opmodel/operation.h"
#include "simgpu/torch/families.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::OpKind;

// Where a launch tells of its rows: a block owns one, or a parameter has their
// number. Parameters are numbered from 0.
constexpr int kRowOfBlock = -1;

struct Row {
  std::string_view name_begins;
  OpKind kind;
  int rows;
  int width;
};

// The first row that fits counts.
constexpr Row kRows[] = {
    // (int width, eps, ...)
    {"vectorized_layer_norm_kernel", OpKind::kNormForward, kRowOfBlock, 0},
    // (dY, X, mean, rstd, gamma, dX, int width)
    {"layer_norm_grad_input_kernel", OpKind::kNormBackward, kRowOfBlock, 6},
    // (output, input, width)
    {"cunn_SoftMaxForward", OpKind::kSoftmaxForward, kRowOfBlock, 2},
    // (gradient of the input, output, gradient of the output, width)
    {"cunn_SoftMaxBackward", OpKind::kSoftmaxBackward, kRowOfBlock, 3},
    // (output, input, int rows, int stride, int width, ...)
    {"softmax_warp_forward", OpKind::kSoftmaxForward, 2, 4},
    // (gradient of the input, gradient, output, int rows, int stride,
    // int width)
    {"softmax_warp_backward", OpKind::kSoftmaxBackward, 3, 5},
};

DType TypeOfSize(size_t bytes) {
  if (bytes == 8) return DType::kF64;
  if (bytes == 2) return DType::kF16;
  return DType::kF32;
}

// Indices are int or int64: the low half will do for either.
int64_t Index(const LaunchView& launch, int parameter) {
  return parameter == kRowOfBlock
             ? int64_t{launch.grid.x}
             : ReadAt<int32_t>(launch.arguments[parameter]);
}

struct RowKernel {
  Row row;
  ScalarType type;
};

DecodedLaunch DecodeRows(const RowKernel& kernel, const LaunchView& launch) {
  const Row& row = kernel.row;
  const int64_t rows = Index(launch, row.rows);
  const int64_t width = Index(launch, row.width);
  if (rows <= 0 || width <= 0) return {};
  const bool backward =
      row.kind == OpKind::kNormBackward || row.kind == OpKind::kSoftmaxBackward;
  DecodedLaunch decoded;
  opmodel::Operation& op = decoded.operation.emplace();
  op.kind = row.kind;
  op.storage = op.math = TypeOfSize(SizeOf(kernel.type));
  op[Dim::kRows] = rows;
  op[Dim::kElementsIn] = (backward ? 2 : 1) * rows * width;
  op[Dim::kElementsOut] = rows * width;
  return decoded;
}

}  // namespace

Decoder RowDecoder(const NameParts& kernel) {
  for (const Row& row : kRows) {
    if (!kernel.name.starts_with(row.name_begins)) continue;
    return DecodeBy(DecodeRows, RowKernel{row, FirstTypeIn(kernel.arguments)});
  }
  return {};
}

}  // namespace dltap::simgpu
