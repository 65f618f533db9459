// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "simgpu/bytes/written_memory.h"
#include "simgpu/torch/families.h"
#include "simgpu/torch/operands.h"
#include "simgpu/torch/scalar_type.h"
#include "simgpu/torch/tensor_lists.h"

namespace dltap::simgpu {
namespace {

// What happens to one element; `scalar` is the functor's last argument.
enum class Operation : uint8_t { kUnknown, kZero, kAdd, kMultiply, kUnscale };

struct Call {
  Operation operation = Operation::kUnknown;
  ScalarType type = ScalarType::kUnknown;
  size_t lists = 0;
  size_t output = 0;  // which list
  std::vector<ListedTensor> tensors;
  double scalar = 0;
  // kUnscale: float, on the device.
  std::byte* found_inf = nullptr;
  std::byte* inverse_scale = nullptr;
};

double Apply(const Call& call, const ListedTensor& tensor, size_t offset) {
  const auto load = [&](size_t list) {
    return LoadAs<double>(call.type, tensor.addresses[list] + offset);
  };
  switch (call.operation) {
    case Operation::kAdd:
      // A scalar alone, or a second list times the scalar.
      return load(0) + (call.lists > (call.output == 0 ? 1u : 2u)
                            ? call.scalar * load(1)
                            : call.scalar);
    case Operation::kMultiply: return load(0) * call.scalar;
    case Operation::kUnscale: return load(0) * call.scalar;
    default: return 0;
  }
}

void ComputeTensor(const Call& call, const ListedTensor& tensor) {
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

void RunTensor(const Call& call, const ListedTensor& tensor) {
  const size_t bytes =
      static_cast<size_t>(tensor.elements) *
      (call.type == ScalarType::kUnknown ? 16 : SizeOf(call.type));
  const Range output{tensor.addresses[call.output], bytes};
  std::vector<Range> inputs;
  for (size_t i = 0; i < call.lists; ++i) {
    const bool read =
        call.operation != Operation::kZero && (i != call.output || i == 0);
    if (read) inputs.push_back({tensor.addresses[i], bytes, call.type});
  }
  Permission permission =
      MayCompute(tensor.elements, inputs, output, call.type);
  // Gradients that were not computed count as finite.
  permission.compute &= call.operation != Operation::kUnknown &&
                        tensor.IsWhole() &&
                        (permission.result == Freshness::kFresh ||
                         call.operation != Operation::kUnscale);
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
  for (const ListedTensor& tensor : call.tensors) RunTensor(call, tensor);
}

// Name<T, lists, read lists, output list>: those that write one list, all of
// it, and nothing else.
constexpr std::string_view kFunctors[] = {"ZeroFunctor",
                                          "UnaryOpFunctor",
                                          "BinaryOpScalarFunctor",
                                          "BinaryOpListAlphaFunctor",
                                          "TernaryOpListFunctor",
                                          "TernaryOpScalarFunctor",
                                          "PointwiseOpScalarFunctor",
                                          "PointwiseOpListFunctor",
                                          "BinaryOpScalarTensorFunctor"};

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

// What the name tells of a kernel.
struct Foreach {
  TensorLists kind;
  ScalarType read_type = ScalarType::kUnknown;
  ScalarType written_type = ScalarType::kUnknown;
  std::array<bool, TensorLists::kMaxLists> reads{};
  std::array<bool, TensorLists::kMaxLists> writes{};
  bool computed = false;  // or at least known what is written
  Call call;              // what all launches have in common
};

// Which lists a functor reads and writes: Name<T, lists, read lists, output
// list> or CopyFunctor<T, source, lists, ...>; LpNormFunctor and LpMaxFunctor
// write elsewhere; fused optimizers all but the gradients, the second list.
void FindAccess(const NameParts& functor, Foreach* found) {
  const auto& arguments = functor.arguments;
  const bool fused = functor.name.starts_with("Fused");
  size_t read_lists = found->kind.lists;
  size_t output = 0;
  if (!fused && arguments.size() >= 4) {
    read_lists = std::max<size_t>(1, NumberIn(arguments[arguments.size() - 2]));
    output = NumberIn(arguments.back());
  }
  const bool writes_one = !fused && !functor.name.starts_with("Lp");
  for (size_t i = 0; i < found->kind.lists; ++i) {
    found->reads[i] = i < read_lists;
    found->writes[i] = fused ? i != 1 : writes_one && i == output;
  }
}

std::optional<Foreach> FindForeach(const NameParts& kernel) {
  if (kernel.arguments.size() < 2) return std::nullopt;
  const auto kind = FindTensorLists(TakeApart(kernel.arguments[0]));
  const NameParts functor = TakeApart(kernel.arguments[1]);
  if (!kind || functor.arguments.empty()) return std::nullopt;
  Foreach found{.kind = *kind, .call = {}};
  found.written_type = ScalarTypeNamed(functor.arguments[0]);
  found.read_type = found.written_type;
  if (functor.name == "CopyFunctor" && functor.arguments.size() == 5) {
    found.read_type = ScalarTypeNamed(functor.arguments[1]);
  }
  FindAccess(functor, &found);
  Call& call = found.call;
  call.lists = kind->lists;
  call.type = found.written_type;
  const bool known = std::find(std::begin(kFunctors), std::end(kFunctors),
                               functor.name) != std::end(kFunctors);
  if (!known || functor.arguments.size() != 4) return found;
  call.output = NumberIn(functor.arguments[3]);
  call.operation = FindOperation(kernel, functor.name, call.type);
  found.computed = call.output < call.lists;
  return found;
}

void ReadRest(Call& call, const LaunchView& launch) {
  if (call.operation == Operation::kUnscale) {
    const std::byte* lambda = Bytes(launch.arguments[2]);
    call.found_inf = ReadAt<std::byte*>(lambda);
    call.inverse_scale = ReadAt<std::byte*>(lambda + 8);
  } else if (call.operation == Operation::kAdd ||
             call.operation == Operation::kMultiply) {
    call.scalar =
        LoadAs<double>(OpmathOf(call.type), Bytes(launch.arguments[3]));
  }
}

// One for each list; the range is that of its first tensor.
void AddOperands(const Foreach& kernel,
                 const std::vector<ListedTensor>& tensors,
                 DecodedLaunch* launch) {
  int64_t moved = 0;
  for (const ListedTensor& tensor : tensors) moved += tensor.moved;
  for (size_t i = 0; i < kernel.kind.lists; ++i) {
    if (!kernel.reads[i] && !kernel.writes[i]) continue;
    Operand operand;
    operand.elements = moved;
    operand.type = kernel.read_type;
    if (kernel.writes[i]) {
      operand.type = kernel.written_type;
      operand.access = kernel.reads[i] ? Operand::kReadWrite : Operand::kWrite;
    }
    operand.element_bytes = SizeOf(operand.type);
    const auto elements = static_cast<size_t>(tensors.front().elements);
    operand.range = {tensors.front().addresses[i],
                     elements * operand.element_bytes};
    launch->Add(operand);
  }
}

std::vector<WriteTarget> WrittenBy(const Foreach& kernel,
                                   const std::vector<ListedTensor>& tensors) {
  std::vector<WriteTarget> targets;
  for (const ListedTensor& tensor : tensors) {
    const size_t bytes =
        static_cast<size_t>(tensor.elements) * SizeOf(kernel.written_type);
    for (size_t i = 0; i < kernel.kind.lists; ++i) {
      if (kernel.writes[i]) targets.push_back({tensor.addresses[i], bytes});
    }
  }
  return targets;
}

DecodedLaunch Decode(const Foreach& kernel, const LaunchView& launch) {
  DecodedLaunch decoded;
  auto tensors = ReadTensorLists(kernel.kind, launch);
  if (!tensors) return decoded;
  AddOperands(kernel, *tensors, &decoded);
  if (!kernel.computed) {
    decoded.may_write = WrittenBy(kernel, *tensors);
    return decoded;
  }
  Call call = kernel.call;
  call.tensors = std::move(*tensors);
  ReadRest(call, launch);
  decoded.effect = EffectOf(std::move(call));
  return decoded;
}

}  // namespace

Decoder ForeachDecoder(const NameParts& kernel) {
  auto found = FindForeach(kernel);
  return found ? DecodeBy(Decode, std::move(*found)) : Decoder{};
}

}  // namespace dltap::simgpu
