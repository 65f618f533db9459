// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/foreach_call.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "simgpu/bytes/mapped_pages.h"
#include "simgpu/bytes/written_memory.h"
#include "simgpu/torch/operands.h"
#include "simgpu/torch/scalar_type.h"
#include "simgpu/torch/tensor_lists.h"

namespace dltap::simgpu {
namespace {

constexpr int64_t kChunkElements = TensorListLayout::kChunkElements;
constexpr size_t kMaxLists = TensorListLayout::kMaxLists;

struct Tensor {
  std::vector<std::byte*> addresses;  // by list
  int64_t elements = 0;
  int64_t chunks = 0;  // of the tensor in this launch

  bool Whole() const {
    return chunks == (elements + kChunkElements - 1) / kChunkElements;
  }
};

// Memory that a program never wrote may look like lists of another layout.
bool IsPlausible(const Tensor& tensor) {
  return std::all_of(
      tensor.addresses.begin(), tensor.addresses.end(),
      [&](std::byte* address) {
        return IsAllocated({address, static_cast<size_t>(tensor.elements)});
      });
}

// nullopt: the lists are not laid out that way.
std::optional<std::vector<Tensor>> ReadLists(const TensorListLayout& layout,
                                             size_t lists,
                                             const std::byte* from,
                                             int64_t blocks) {
  const size_t tensors = layout.tensors[lists - 1];
  const std::byte* elements = from + lists * tensors * sizeof(void*);
  const std::byte* to_tensor = elements + tensors * sizeof(int64_t);
  if (blocks < 1 || static_cast<size_t>(blocks) > layout.blocks ||
      !ArePagesMapped(from, layout.Bytes(lists, 1))) {
    return std::nullopt;
  }
  std::vector<Tensor> found;
  for (size_t block = 0; block < static_cast<size_t>(blocks); ++block) {
    const size_t tensor = layout.TensorOfBlock(to_tensor, block);
    const int64_t chunk = layout.ChunkOfBlock(to_tensor, block);
    if (tensor >= tensors ||
        (tensor + 1 != found.size() && tensor != found.size())) {
      return std::nullopt;
    }
    if (tensor == found.size()) {
      Tensor& next = found.emplace_back();
      next.elements = ReadAt<int64_t>(elements + 8 * tensor);
      for (size_t list = 0; list < lists; ++list) {
        next.addresses.push_back(
            ReadAt<std::byte*>(from + (list * tensors + tensor) * 8));
      }
    }
    Tensor& last = found.back();
    ++last.chunks;
    if (last.elements <= 0 || chunk < 0 ||
        chunk * kChunkElements >= last.elements) {
      return std::nullopt;
    }
  }
  if (!IsPlausible(found.front())) return std::nullopt;
  return found;
}

std::optional<std::vector<Tensor>> ReadLists(size_t lists,
                                             const Arguments& launch) {
  for (const TensorListLayout& layout : kTensorListLayouts) {
    auto found =
        ReadLists(layout, lists, Bytes(launch.pointers[0]), launch.blocks);
    if (found) return found;
  }
  return std::nullopt;
}

// What happens to one element; `scalar` is the functor's last argument.
enum class Operation : uint8_t { kUnknown, kZero, kAdd, kMultiply, kUnscale };

struct Call {
  Operation operation = Operation::kUnknown;
  ScalarType type = ScalarType::kUnknown;
  size_t output = 0;  // which list
  std::vector<Tensor> tensors;
  double scalar = 0;
  // kUnscale: float, on the device.
  std::byte* found_inf = nullptr;
  std::byte* inverse_scale = nullptr;
};

double Apply(const Call& call, const Tensor& tensor, size_t offset) {
  const auto load = [&](size_t list) {
    return LoadAs<double>(call.type, tensor.addresses[list] + offset);
  };
  switch (call.operation) {
    case Operation::kAdd:
      // A scalar alone, or a second list times the scalar.
      return load(0) + (tensor.addresses.size() > (call.output == 0 ? 1u : 2u)
                            ? call.scalar * load(1)
                            : call.scalar);
    case Operation::kMultiply: return load(0) * call.scalar;
    case Operation::kUnscale: return load(0) * call.scalar;
    default: return 0;
  }
}

void ComputeTensor(const Call& call, const Tensor& tensor) {
  const size_t bytes = SizeOf(call.type);
  for (int64_t i = 0; i < tensor.elements; ++i) {
    const size_t offset = static_cast<size_t>(i) * bytes;
    if (call.operation == Operation::kUnscale &&
        !std::isfinite(
            LoadAs<double>(call.type, tensor.addresses[0] + offset))) {
      StoreAs<double>(ScalarType::kFloat32, call.found_inf, 1);
    }
    StoreAs<double>(call.type, tensor.addresses[call.output] + offset,
                    Apply(call, tensor, offset));
  }
}

void RunTensor(const Call& call, const Tensor& tensor) {
  const size_t bytes =
      static_cast<size_t>(tensor.elements) *
      (call.type == ScalarType::kUnknown ? 16 : SizeOf(call.type));
  const Range output{tensor.addresses[call.output], bytes};
  std::vector<Range> inputs;
  for (size_t i = 0; i < tensor.addresses.size(); ++i) {
    const bool read =
        call.operation != Operation::kZero && (i != call.output || i == 0);
    if (read) inputs.push_back({tensor.addresses[i], bytes});
  }
  Permission permission = MayCompute(tensor.elements, inputs, output);
  // Gradients that nobody computed count as finite.
  permission.compute &=
      call.operation != Operation::kUnknown && tensor.Whole() &&
      (permission.fresh || call.operation != Operation::kUnscale);
  if (permission.compute) ComputeTensor(call, tensor);
  MarkOutput(output, true, permission);
}

void Run(Call call) {
  if (call.operation == Operation::kUnscale) {
    if (!IsAllocated({call.found_inf, 4}) ||
        !IsAllocated({call.inverse_scale, 4})) {
      return;
    }
    call.scalar = LoadAs<double>(ScalarType::kFloat32, call.inverse_scale);
  }
  for (const Tensor& tensor : call.tensors) RunTensor(call, tensor);
}

// A functor by its template's name: Name<T, lists, read lists, output list>.
// Others than these write more than one list, or another way.
constexpr std::string_view kFunctors[] = {"ZeroFunctor",
                                          "UnaryOpFunctor",
                                          "BinaryOpScalarFunctor",
                                          "BinaryOpListAlphaFunctor",
                                          "TernaryOpListFunctor",
                                          "TernaryOpScalarFunctor",
                                          "PointwiseOpScalarFunctor",
                                          "PointwiseOpListFunctor",
                                          "BinaryOpScalarTensorFunctor"};

size_t NumberAt(const NameParts& functor, size_t index) {
  size_t number = 0;
  const std::string_view text = functor.arguments[index];
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// From the functor and what stands behind it in the kernel's template
// arguments: the operation on one element.
Operation FindOperation(const NameParts& kernel, std::string_view functor,
                        ScalarType type) {
  if (!IsReal(type)) return Operation::kUnknown;
  if (functor == "ZeroFunctor") return Operation::kZero;
  if (kernel.arguments.size() < 3) return Operation::kUnknown;
  const NameParts inner = TakeApart(kernel.arguments[2]);
  if (functor == "UnaryOpFunctor") {
    return inner.name == "_amp_foreach_non_finite_check_and_unscale_cuda_"
               ? Operation::kUnscale
               : Operation::kUnknown;
  }
  const bool binary = functor == "BinaryOpScalarFunctor" ||
                      functor == "BinaryOpListAlphaFunctor";
  if (binary && inner.name == "plus") return Operation::kAdd;
  return functor == "BinaryOpScalarFunctor" && inner.name == "multiplies"
             ? Operation::kMultiply
             : Operation::kUnknown;
}

void ReadRest(Call& call, const Arguments& launch) {
  if (call.operation == Operation::kUnscale) {
    const std::byte* lambda = Bytes(launch.pointers[2]);
    call.found_inf = ReadAt<std::byte*>(lambda);
    call.inverse_scale = ReadAt<std::byte*>(lambda + 8);
  } else if (call.operation == Operation::kAdd ||
             call.operation == Operation::kMultiply) {
    call.scalar =
        LoadAs<double>(OpmathOf(call.type), Bytes(launch.pointers[3]));
  }
}

}  // namespace

Decoder ForeachDecoder(const NameParts& kernel) {
  if (kernel.name != "multi_tensor_apply_kernel" ||
      kernel.arguments.size() < 2 ||
      TakeApart(kernel.arguments[0]).name != "TensorListMetadata") {
    return {};
  }
  const NameParts functor = TakeApart(kernel.arguments[1]);
  bool known = functor.arguments.size() == 4;
  known &= std::find(std::begin(kFunctors), std::end(kFunctors),
                     functor.name) != std::end(kFunctors);
  if (!known) return {};
  const size_t lists = NumberAt(functor, 1);
  Call call;
  call.output = NumberAt(functor, 3);
  if (lists < 1 || lists > kMaxLists || call.output >= lists) return {};
  call.type = ScalarTypeNamed(functor.arguments[0]);
  call.operation = FindOperation(kernel, functor.name, call.type);
  return [call, lists](const Arguments& launch) -> Effect {
    auto tensors = ReadLists(lists, launch);
    if (!tensors) return {};
    auto decoded = std::make_shared<Call>(call);
    decoded->tensors = std::move(*tensors);
    ReadRest(*decoded, launch);
    return [decoded] { Run(*decoded); };
  };
}

}  // namespace dltap::simgpu
