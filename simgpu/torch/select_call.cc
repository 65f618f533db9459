// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "simgpu/torch/combination.h"
#include "simgpu/torch/computation.h"
#include "simgpu/torch/families.h"
#include "simgpu/torch/tensor_view.h"

namespace dltap::simgpu {
namespace {

// What the name tells of a kernel: <T, type of the indices, index, ..>.
struct Kernel {
  ScalarType type;
  size_t element_bytes;
  ScalarType chosen;  // type of the indices
  std::string index;
  bool large;  // also told how many elements there are in all
  // to[index[i]] += x[i] * alpha, or *=, ...; else to[i] = x[index[i]]
  bool adds;
  const Combination* combination = nullptr;  // of `adds`
};

// index_select or index_add along one dimension: of `to` and `from` that
// dimension stands beside the others, which have `inner` elements.
struct Call {
  Kernel kernel;
  TensorView to, from, chosen;
  TensorView::Dimension to_line, from_line;
  int64_t inner;
  const std::byte* alpha;

  std::byte* At(const TensorView& tensor, TensorView::Dimension line,
                int64_t place, int64_t element) const {
    return tensor.At(element) +
           place * line.stride * static_cast<int64_t>(kernel.element_bytes);
  }
};

void Add(const Call& call, std::byte* to, const std::byte* from,
         const std::byte* alpha) {
  const ScalarType type = call.kernel.type;
  ComputeIn(type, [&]<typename C>(C) {
    using Wrapping =
        std::conditional_t<std::is_same_v<C, int64_t>, uint64_t, C>;
    const auto added = static_cast<C>(Wrapping(LoadAs<C>(type, from)) *
                                      Wrapping(LoadAs<C>(type, alpha)));
    const C old = LoadAs<C>(type, to);
    if constexpr (std::is_same_v<C, double>) {
      StoreAs<C>(type, to, call.kernel.combination->real(old, added));
    } else {
      StoreAs<C>(type, to, call.kernel.combination->integer(old, added));
    }
  });
}

void Compute(const Call& call, const std::byte* alpha) {
  const int64_t lines =
      call.kernel.adds ? call.to_line.size : call.from_line.size;
  for (int64_t i = 0; i < call.chosen.elements(); ++i) {
    const auto index = LoadAs<int64_t>(call.kernel.chosen, call.chosen.At(i));
    if (index < 0 || index >= lines) continue;  // a GPU stops the program
    for (int64_t element = 0; element < call.inner; ++element) {
      const bool adds = call.kernel.adds;
      std::byte* to = call.At(call.to, call.to_line, adds ? index : i, element);
      const std::byte* from =
          call.At(call.from, call.from_line, adds ? i : index, element);
      if (adds) {
        Add(call, to, from, alpha);
      } else {
        std::copy_n(from, call.kernel.element_bytes, to);
      }
    }
  }
}

// Takes the dimension out of the tensor.
TensorView::Dimension TakeOut(TensorView* tensor, int dimension) {
  const TensorView::Dimension line =
      tensor->dimensions[static_cast<size_t>(dimension)];
  tensor->dimensions.erase(tensor->dimensions.begin() + dimension);
  return line;
}

// (TensorInfo to, TensorInfo from, TensorInfo indices, int to's dimension, int
// from's, [index in all,] index inner, int64_t lines[, int64_t elements,
// operation, T alpha]). The size of both dimensions was set to 1.
DecodedLaunch Decode(const Kernel& kernel, const LaunchView& launch) {
  void* const* arguments = launch.arguments;
  auto to = ReadTensorInfo(arguments[0], kernel.index, kernel.element_bytes);
  auto from = ReadTensorInfo(arguments[1], kernel.index, kernel.element_bytes);
  auto chosen =
      ReadTensorInfo(arguments[2], kernel.index, SizeOf(kernel.chosen));
  const auto to_dimension = ReadAt<int32_t>(arguments[3]);
  const auto from_dimension = ReadAt<int32_t>(arguments[4]);
  const size_t rest = kernel.large ? 6 : 5;
  const auto is_dimension = [](int32_t dimension, const TensorView& tensor) {
    return dimension >= 0 &&
           dimension < static_cast<int32_t>(tensor.dimensions.size());
  };
  if (!to || !from || !chosen || !is_dimension(to_dimension, *to) ||
      !is_dimension(from_dimension, *from)) {
    return {};
  }
  Call call{.kernel = kernel,
            .to = std::move(*to),
            .from = std::move(*from),
            .chosen = std::move(*chosen),
            .to_line = {},
            .from_line = {},
            .inner = ReadIndex(kernel.index, arguments[rest]),
            .alpha = nullptr};
  call.to_line = TakeOut(&call.to, to_dimension);
  call.from_line = TakeOut(&call.from, from_dimension);
  const int64_t count = call.chosen.elements();
  const auto lines = ReadAt<int64_t>(arguments[rest + 1]);
  call.to_line.size = kernel.adds ? lines : count;
  call.from_line.size = kernel.adds ? count : lines;
  if (call.inner < 1 || lines < 1 || call.to.elements() != call.inner ||
      call.from.elements() != call.inner) {
    return {};
  }
  std::array<std::byte, 8> alpha{};
  if (kernel.adds) {
    std::copy_n(Bytes(arguments[rest + 4]), kernel.element_bytes, alpha.data());
  }
  const Range to_range = call.to.All(call.to_line);
  const int64_t elements = count * call.inner;
  const bool dense =
      kernel.adds ||
      to_range.bytes == static_cast<size_t>(elements) * kernel.element_bytes;
  std::vector<Range> inputs = {call.from.All(call.from_line),
                               call.chosen.All()};
  if (kernel.adds) inputs.push_back(to_range);
  DecodedLaunch decoded =
      Computed({.elements = elements,
                .type = kernel.type,
                .inputs = std::move(inputs),
                .outputs = {{to_range, kernel.type, dense}},
                .compute = [call, alpha] { Compute(call, alpha.data()); }});
  const Operand operand{.elements = elements,
                        .element_bytes = kernel.element_bytes};
  decoded.Add(operand);
  decoded.Add(operand);
  return decoded;
}

}  // namespace

Decoder SelectDecoder(const NameParts& kernel) {
  if (kernel.arguments.size() < 6) return {};
  const bool adds = kernel.name.starts_with("indexFunc");
  const Combination* combination = FindCombination(kernel.arguments.back());
  if (adds && combination == nullptr) return {};
  const Kernel found{.type = MovedType(kernel.arguments[0]),
                     .element_bytes = SizeOfNamed(kernel.arguments[0]),
                     .chosen = ScalarTypeNamed(kernel.arguments[1]),
                     .index = std::string(kernel.arguments[2]),
                     .large = kernel.name.ends_with("LargeIndex"),
                     .adds = adds,
                     .combination = combination};
  if (found.element_bytes == 0 || found.element_bytes > 8 ||
      !IsInteger(found.chosen) || (adds && !IsComputed(found.type))) {
    return {};
  }
  return DecodeBy(Decode, found);
}

}  // namespace dltap::simgpu
