// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string_view>

#include "opmodel/operation.h"
#include "simgpu/torch/families.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::Operation;
using opmodel::OpKind;

// Which parameter is what, from 0 (aten/src/ATen/native/cuda/
// DepthwiseConv2d.cu). The input's width begins a row of six: of input, output
// and filter, each width before height.
struct Row {
  std::string_view name;
  OpKind kind;
  int elements;  // of the tensor that is written; -1: the batch is told instead
  int batch;
  int channels_out;
  int multiplier;
  int input_width;
};
constexpr Row kRows[] = {
    {"conv_depthwise2d_forward_kernel", OpKind::kConvForward, 5, -1, 6, 7, 8},
    {"conv_depthwise2d_forward_kernel_generic", OpKind::kConvForward, 5, -1, 6,
     7, 8},
    {"conv_depthwise2d_backward_kernel", OpKind::kConvBackwardData, 3, -1, 6, 5,
     7},
    {"conv_depthwise2d_grad_weight_kernel", OpKind::kConvBackwardWeight, -1, 3,
     5, 6, 7}};

constexpr Dim kSides[] = {Dim::kWidthIn,     Dim::kHeightIn,
                          Dim::kWidthOut,    Dim::kHeightOut,
                          Dim::kFilterWidth, Dim::kFilterHeight};

constexpr int64_t kMost = 1 << 20;  // so that products fit

bool IsSize(int64_t value) { return value > 0 && value <= kMost; }

// Of one image of the tensor that is written.
int64_t ImageElements(const Operation& op) {
  return op.kind == OpKind::kConvForward
             ? op[Dim::kChannelsOut] * op[Dim::kWidthOut] * op[Dim::kHeightOut]
             : op[Dim::kChannelsIn] * op[Dim::kWidthIn] * op[Dim::kHeightIn];
}

struct DepthwiseKernel {
  Row row;
  opmodel::DType type;
};

DecodedLaunch DecodeDepthwise(const DepthwiseKernel& kernel,
                              const LaunchView& launch) {
  const Row& row = kernel.row;
  const auto integer = [&](int at) -> int64_t {
    return ReadAt<int32_t>(launch.arguments[at]);
  };
  DecodedLaunch decoded;
  Operation op{.kind = row.kind, .storage = kernel.type, .math = kernel.type};
  for (int i = 0; i < 6; ++i) {
    op[kSides[i]] = integer(row.input_width + i);
    if (!IsSize(op[kSides[i]])) return {};
  }
  const int64_t channels = integer(row.channels_out);
  const int64_t multiplier = integer(row.multiplier);
  if (!IsSize(channels) || !IsSize(multiplier) || channels % multiplier != 0) {
    return {};
  }
  op[Dim::kChannelsOut] = channels;
  op[Dim::kChannelsIn] = op[Dim::kGroups] = channels / multiplier;
  // Elements are counted in 32 bits, or in 64: the low half will do.
  op[Dim::kBatch] = row.elements < 0
                        ? integer(row.batch)
                        : integer(row.elements) / ImageElements(op);
  if (op[Dim::kBatch] <= 0) return {};
  decoded.operation = op;
  return decoded;
}

opmodel::DType TypeOf(std::string_view name) {
  if (name == "float") return opmodel::DType::kF32;
  if (name == "double") return opmodel::DType::kF64;
  if (name == "c10::Half") return opmodel::DType::kF16;
  if (name == "c10::BFloat16") return opmodel::DType::kBf16;
  return opmodel::DType::kUnknown;
}

}  // namespace

Decoder DepthwiseDecoder(const NameParts& kernel) {
  for (const Row& row : kRows) {
    if (kernel.name != row.name) continue;
    for (const std::string_view argument : kernel.arguments) {
      const opmodel::DType type = TypeOf(argument);
      if (type == opmodel::DType::kUnknown) continue;
      return DecodeBy(DecodeDepthwise, DepthwiseKernel{row, type});
    }
  }
  return {};
}

}  // namespace dltap::simgpu
