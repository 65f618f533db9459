// SPDX-License-Identifier: Apache-2.0
// MXNet's kernels of one operation over all elements of some arrays.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "simgpu/torch/families.h"
#include "simgpu/torch/plain_arguments.h"

namespace dltap::simgpu {
namespace {

// An array among the arguments, or part of an expression of them.
struct Array {
  int parameter;  // -1: not known where
  ScalarType type;
  Operand::Access access;
};

struct Arrays {
  std::vector<Array> all;
};

DecodedLaunch Moving(const Arrays& arrays, int64_t elements,
                     const LaunchView& launch) {
  DecodedLaunch decoded;
  if (!IsCount(elements)) return decoded;
  for (const Array& array : arrays.all) {
    auto* data = array.parameter < 0
                     ? nullptr
                     : ReadAt<std::byte*>(launch.arguments[array.parameter]);
    decoded.Add(Operand::Dense(data, elements, array.type, array.access));
  }
  return decoded;
}

ScalarType TypeOfPointer(std::string_view name) {
  return ScalarTypeNamed(name.substr(0, name.find_first_of(" *")));
}

// MultiSGDKernelParam: {int count; size_t largest; size_t sizes[60]; arrays}.
// Weights are read and written, gradients read, the momentum both.
struct Sgd {
  ScalarType type;
  bool has_momentum;
};

DecodedLaunch DecodeSgd(const Sgd& sgd, const LaunchView& launch) {
  constexpr int kMost = 60;
  const auto* lists = Bytes(launch.arguments[1]);
  const auto count = ReadAt<int32_t>(lists);
  if (count <= 0 || count > kMost) return {};
  int64_t elements = 0;
  int64_t largest = 0;
  for (int i = 0; i < count; ++i) {
    const auto size = ReadAt<int64_t>(lists + 16 + 8 * i);
    if (!IsCount(size)) return {};
    elements += size;
    largest = std::max(largest, size);
  }
  if (largest != ReadAt<int32_t>(launch.arguments[0])) return {};
  Arrays arrays{
      {{-1, sgd.type, Operand::kReadWrite}, {-1, sgd.type, Operand::kRead}}};
  if (sgd.has_momentum) {
    arrays.all.push_back({-1, sgd.type, Operand::kReadWrite});
  }
  return Moving(arrays, elements, launch);
}

// mxnet_generic_kernel<operation, arguments...>(int elements, arguments...):
// the first array is the result.
DecodedLaunch DecodeGeneric(const Arrays& arrays, const LaunchView& launch) {
  return Moving(arrays, ReadAt<int32_t>(launch.arguments[0]), launch);
}

Decoder GenericDecoder(const NameParts& kernel) {
  Arrays arrays;
  for (size_t i = 1; i < kernel.arguments.size(); ++i) {
    const std::string_view type = kernel.arguments[i];
    if (!type.ends_with("*")) continue;
    arrays.all.push_back(
        {static_cast<int>(i), TypeOfPointer(type),
         arrays.all.empty() ? Operand::kWrite : Operand::kRead});
  }
  if (arrays.all.empty()) {
    const NameParts operation = TakeApart(kernel.arguments[0]);
    if (operation.name != "MultiSGDKernel" || operation.arguments.size() < 2) {
      return {};
    }
    return DecodeBy(DecodeSgd, {ScalarTypeNamed(operation.arguments[0]),
                                operation.arguments[1] == "true"});
  }
  return DecodeBy(DecodeGeneric, std::move(arrays));
}

// MapPlanKernel<saver, bits, result, expression>(result, int stride,
// Shape<2>{rows, columns}, expression)
DecodedLaunch DecodeMap(const Arrays& arrays, const LaunchView& launch) {
  const auto* shape = Bytes(launch.arguments[2]);
  return Moving(arrays,
                int64_t{ReadAt<int32_t>(shape)} * ReadAt<int32_t>(shape + 4),
                launch);
}

// The tensors in an expression: "Tensor<mshadow::gpu, 3, float>". One that is
// broadcast is small.
std::vector<ScalarType> TensorsIn(std::string_view expression) {
  constexpr std::string_view kTensor = "Tensor<mshadow::gpu, ";
  std::vector<ScalarType> types;
  for (size_t at = expression.find(kTensor); at != std::string_view::npos;
       at = expression.find(kTensor, at + 1)) {
    const std::string_view before = expression.substr(0, at);
    if (before.ends_with("Broadcast1DExp<mshadow::")) continue;
    const size_t type = expression.find(", ", at + kTensor.size());
    const size_t end = expression.find('>', at);
    if (type == std::string_view::npos || end < type) continue;
    types.push_back(
        ScalarTypeNamed(expression.substr(type + 2, end - type - 2)));
  }
  return types;
}

Decoder MapDecoder(const NameParts& kernel) {
  if (kernel.arguments.size() != 4) return {};
  const auto results = TensorsIn(kernel.arguments[2]);
  if (results.size() != 1) return {};
  const bool saves = kernel.arguments[0].ends_with("saveto");
  Arrays arrays;
  arrays.all.push_back(
      {-1, results[0], saves ? Operand::kWrite : Operand::kReadWrite});
  for (const ScalarType type : TensorsIn(kernel.arguments[3])) {
    arrays.all.push_back({-1, type, Operand::kRead});
  }
  return DecodeBy(DecodeMap, std::move(arrays));
}

// add_bias_kernel<load, T>(T* sums, T* bias, size_t rows, size_t columns), and
// the gradient's AddBiasGradKernelPhase1<load, T, ...>(partial sums, T const*
// gradient, rows, columns).
struct Bias {
  ScalarType type;
  bool gradient;
};

DecodedLaunch DecodeBias(const Bias& bias, const LaunchView& launch) {
  const int64_t elements = Integer(launch, 2) * Integer(launch, 3);
  const Arrays arrays{{{bias.gradient ? 1 : 0, bias.type,
                        bias.gradient ? Operand::kRead : Operand::kReadWrite}}};
  return Moving(arrays, elements, launch);
}

Decoder BiasDecoder(const NameParts& kernel) {
  const bool gradient = kernel.name.starts_with("AddBiasGrad");
  const size_t type = gradient ? 1 : 0;
  if (kernel.arguments.size() <= type) return {};
  return DecodeBy(DecodeBias,
                  {ScalarTypeNamed(kernel.arguments[type]), gradient});
}

// softmax_stride1_compute_kernel(input, output, lengths, int width, double
// temperature, int rows of a block, int rows), and its gradient's
// softmax_stride1_grad_kernel(output, its gradient, the input's, lengths, ...).
struct Softmax {
  ScalarType type;
  int arrays;
};

DecodedLaunch DecodeSoftmax(const Softmax& softmax, const LaunchView& launch) {
  const int width = softmax.arrays + 1;
  const int64_t elements = int64_t{ReadAt<int32_t>(launch.arguments[width])} *
                           ReadAt<int32_t>(launch.arguments[width + 3]);
  Arrays arrays;
  for (int i = 0; i < softmax.arrays; ++i) {
    arrays.all.push_back(
        {i, softmax.type,
         i + 1 == softmax.arrays ? Operand::kWrite : Operand::kRead});
  }
  return Moving(arrays, elements, launch);
}

Decoder SoftmaxDecoder(const NameParts& kernel) {
  const int arrays = kernel.name == "softmax_stride1_grad_kernel" ? 3 : 2;
  return DecodeBy(DecodeSoftmax, {FirstTypeIn(kernel.arguments), arrays});
}

}  // namespace

Decoder MxnetDecoder(const NameParts& kernel) {
  if (kernel.name == "mxnet_generic_kernel") return GenericDecoder(kernel);
  if (kernel.name == "MapPlanKernel") return MapDecoder(kernel);
  if (kernel.name.starts_with("softmax_")) return SoftmaxDecoder(kernel);
  return BiasDecoder(kernel);
}

}  // namespace dltap::simgpu
