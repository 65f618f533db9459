// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "opmodel/operation.h"
#include "simgpu/torch/computation.h"
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
  ScalarType type;  // of the input
  ScalarType output;
  bool logarithm;  // of a softmax
};

// Rows side by side; each becomes exp(x) over the sum of them, or its
// logarithm.
struct Softmax {
  RowKernel kernel;
  int64_t rows;
  int64_t width;
  const std::byte* from;
  std::byte* to;
};

void Compute(const Softmax& call) {
  const size_t bytes = SizeOf(call.kernel.type);
  const size_t to_bytes = SizeOf(call.kernel.output);
  const auto width = static_cast<size_t>(call.width);
  std::vector<double> values(width);
  for (size_t row = 0; row < static_cast<size_t>(call.rows); ++row) {
    for (size_t i = 0; i < width; ++i) {
      values[i] = LoadAs<double>(call.kernel.type,
                                 call.from + (row * width + i) * bytes);
    }
    const double largest = *std::max_element(values.begin(), values.end());
    double sum = 0;
    for (const double value : values) sum += std::exp(value - largest);
    for (size_t i = 0; i < width; ++i) {
      const double shifted = values[i] - largest;
      StoreAs<double>(call.kernel.output,
                      call.to + (row * width + i) * to_bytes,
                      call.kernel.logarithm ? shifted - std::log(sum)
                                            : std::exp(shifted) / sum);
    }
  }
}

Effect SoftmaxEffect(const Softmax& call) {
  const auto elements = static_cast<size_t>(call.rows * call.width);
  return Computed(
             {.elements = call.rows * call.width,
              .type = call.kernel.type,
              .inputs = {{const_cast<std::byte*>(call.from),
                          elements * SizeOf(call.kernel.type),
                          call.kernel.type}},
              .outputs = {{{call.to, elements * SizeOf(call.kernel.output)},
                           call.kernel.output}},
              .compute = [call] { Compute(call); }})
      .effect;
}

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
  if (row.kind == OpKind::kSoftmaxForward && IsComputed(kernel.type) &&
      IsComputed(kernel.output)) {
    decoded.effect =
        SoftmaxEffect({.kernel = kernel,
                       .rows = rows,
                       .width = width,
                       .from = ReadAt<const std::byte*>(launch.arguments[1]),
                       .to = ReadAt<std::byte*>(launch.arguments[0])});
  }
  return decoded;
}

// softmax_warp_forward<input, output, sum, int, bool logarithm, bool masked>
// cunn_SoftMaxForward..<int, input, sum, output, LogSoftMaxForwardEpilogue>
RowKernel KernelOf(const Row& row, const NameParts& kernel) {
  const auto& arguments = kernel.arguments;
  RowKernel found{.row = row,
                  .type = FirstTypeIn(arguments),
                  .output = ScalarType::kUnknown,
                  .logarithm = false};
  if (kernel.name.starts_with("softmax_warp_forward") &&
      arguments.size() >= 6 && arguments[5] == "false") {
    found.output = ScalarTypeNamed(arguments[1]);
    found.logarithm = arguments[4] == "true";
  } else if (kernel.name.starts_with("cunn_SoftMaxForward") &&
             arguments.size() >= 5) {
    found.output = ScalarTypeNamed(arguments[3]);
    found.logarithm = arguments[4].find("LogSoftMax") != std::string_view::npos;
  }
  return found;
}

}  // namespace

Decoder RowDecoder(const NameParts& kernel) {
  for (const Row& row : kRows) {
    if (!kernel.name.starts_with(row.name_begins)) continue;
    return DecodeBy(DecodeRows, KernelOf(row, kernel));
  }
  return {};
}

}  // namespace dltap::simgpu
