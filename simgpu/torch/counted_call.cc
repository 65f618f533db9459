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

struct Row {
  std::string_view name_begins;
  DecodedLaunch (*decode)(const ScalarType& type, const LaunchView& launch);
};

constexpr Row kRows[] = {
    {"GammaBetaBackwardCUDAKernelTemplate", DecodeColumnSums},
    {"embedding_backward_feature_kernel", DecodeEmbeddingGradient},
    {"fused_dropout_kernel", DecodeDropout},
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
