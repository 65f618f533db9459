// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string_view>

#include "simgpu/torch/families.h"

namespace dltap::simgpu {
namespace {

// A dense array that a pointer begins: a parameter, or the first member of one.
Operand DenseAt(const LaunchView& launch, int parameter, int64_t elements,
                ScalarType type, Operand::Access access) {
  return Operand::Dense(ReadAt<std::byte*>(launch.arguments[parameter]),
                        elements, type, access);
}

// (int64 rows, int64 width, gradient, input, ...)
DecodedLaunch DecodeColumnSums(const ScalarType& type,
                               const LaunchView& launch) {
  const int64_t elements = ReadAt<int64_t>(launch.arguments[0]) *
                           ReadAt<int64_t>(launch.arguments[1]);
  DecodedLaunch decoded;
  decoded.Add(DenseAt(launch, 2, elements, type, Operand::kRead));
  decoded.Add(DenseAt(launch, 3, elements, type, Operand::kRead));
  return decoded;
}

// (indices, gradient, gradient of the table, int count, int64 stride, ...): a
// row is read and added to another one.
DecodedLaunch DecodeEmbeddingGradient(const ScalarType& type,
                                      const LaunchView& launch) {
  const int64_t elements = ReadAt<int32_t>(launch.arguments[3]) *
                           ReadAt<int64_t>(launch.arguments[4]);
  DecodedLaunch decoded;
  decoded.Add(Operand::Dense(nullptr, elements, type, Operand::kReadWrite));
  decoded.Add(DenseAt(launch, 1, elements, type, Operand::kRead));
  return decoded;
}

// (TensorInfo input, TensorInfo output, TensorInfo of the mask, total, ...)
DecodedLaunch DecodeDropout(const ScalarType& type, const LaunchView& launch) {
  const int64_t elements = ReadAt<int32_t>(launch.arguments[3]);
  DecodedLaunch decoded;
  decoded.Add(DenseAt(launch, 1, elements, type, Operand::kWrite));
  decoded.Add(
      DenseAt(launch, 2, elements, ScalarType::kUInt8, Operand::kWrite));
  decoded.Add(DenseAt(launch, 0, elements, type, Operand::kRead));
  return decoded;
}

// cunn_SoftMaxBackwardSmem(gradient of the input, output, gradient of the
// output, width): a block owns a row and keeps it, so that nothing is read
// twice.
DecodedLaunch DecodeSoftmaxGradient(const ScalarType& type,
                                    const LaunchView& launch) {
  const int64_t elements =
      int64_t{launch.grid.x} * ReadAt<int32_t>(launch.arguments[3]);
  DecodedLaunch decoded;
  decoded.Add(DenseAt(launch, 0, elements, type, Operand::kWrite));
  decoded.Add(DenseAt(launch, 1, elements, type, Operand::kRead));
  decoded.Add(DenseAt(launch, 2, elements, type, Operand::kRead));
  return decoded;
}

// (int64 width, epsilon, input, ...): a block reads a row, a group of group
// norm's channels.
DecodedLaunch DecodeMoments(const ScalarType& type, const LaunchView& launch) {
  const int64_t elements =
      int64_t{launch.grid.x} * ReadAt<int64_t>(launch.arguments[0]);
  DecodedLaunch decoded;
  decoded.Add(DenseAt(launch, 2, elements, type, Operand::kRead));
  return decoded;
}

// (int64 width, gradient, input, ...): a block sums a channel's points up.
DecodedLaunch DecodeInternalGradients(const ScalarType& type,
                                      const LaunchView& launch) {
  const int64_t elements =
      int64_t{launch.grid.x} * ReadAt<int64_t>(launch.arguments[0]);
  DecodedLaunch decoded;
  decoded.Add(DenseAt(launch, 1, elements, type, Operand::kRead));
  decoded.Add(DenseAt(launch, 2, elements, type, Operand::kRead));
  return decoded;
}

// (input, output, int64 width, int64 height, int top, bottom, left, right,
// ...): the grid's y and z go over the planes.
DecodedLaunch DecodeReflection(const ScalarType& type,
                               const LaunchView& launch) {
  const auto padding = [&](int parameter) {
    return int64_t{ReadAt<int32_t>(launch.arguments[parameter])};
  };
  const auto width = ReadAt<int64_t>(launch.arguments[2]);
  const auto height = ReadAt<int64_t>(launch.arguments[3]);
  const int64_t planes = int64_t{launch.grid.y} * launch.grid.z;
  const int64_t padded = (width + padding(6) + padding(7)) *
                         (height + padding(4) + padding(5)) * planes;
  DecodedLaunch decoded;
  decoded.Add(DenseAt(launch, 1, padded, type, Operand::kWrite));
  decoded.Add(
      DenseAt(launch, 0, width * height * planes, type, Operand::kRead));
  return decoded;
}

struct Row {
  std::string_view name_begins;
  DecodedLaunch (*decode)(const ScalarType& type, const LaunchView& launch);
};

constexpr Row kRows[] = {
    {"GammaBetaBackwardCUDAKernelTemplate", DecodeColumnSums},
    {"embedding_backward_feature_kernel", DecodeEmbeddingGradient},
    {"fused_dropout_kernel", DecodeDropout},
    {"RowwiseMomentsCUDAKernel", DecodeMoments},
    {"reflection_pad2d_out_kernel", DecodeReflection},
    {"ComputeInternalGradientsCUDAKernel", DecodeInternalGradients},
    {"cunn_SoftMaxBackwardSmem", DecodeSoftmaxGradient},
};

}  // namespace

Decoder CountedDecoder(const NameParts& kernel) {
  for (const Row& row : kRows) {
    if (!kernel.name.starts_with(row.name_begins)) continue;
    return DecodeBy(row.decode, FirstTypeIn(kernel.arguments));
  }
  return {};
}

}  // namespace dltap::simgpu
