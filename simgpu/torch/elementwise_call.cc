// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/elementwise_call.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "simgpu/bytes/written_memory.h"
#include "simgpu/torch/functor.h"
#include "simgpu/torch/operands.h"

namespace dltap::simgpu {
namespace {

// Bytes of an element of which the type is not known, at most.
constexpr size_t kLargestElementBytes = 16;

struct Operand {
  std::byte* data = nullptr;
  ScalarType type = ScalarType::kUnknown;  // in memory
};

// One launch, decoded. The output comes first.
struct Call {
  std::shared_ptr<const Functor> functor;
  int64_t elements = 0;
  std::vector<Operand> operands;
  std::optional<Offsets> offsets;  // none: all are dense
  std::array<double, kMaxValues> reals{};
  std::array<int64_t, kMaxValues> integers{};

  Range RangeOf(size_t i) const {
    const Operand& operand = operands[i];
    const size_t bytes = SizeOf(operand.type);
    return {operand.data, offsets ? offsets->Extent(i, bytes)
                                  : static_cast<size_t>(elements) * bytes};
  }
  bool OutputIsDense() const {
    return !offsets || RangeOf(0).bytes == static_cast<size_t>(elements) *
                                               SizeOf(operands[0].type);
  }
};

template <typename C>
C RunOperation(const Functor& functor, const C* values) {
  if constexpr (std::is_same_v<C, double>) {
    return functor.real_operation(values);
  } else {
    return functor.integer_operation(values);
  }
}

template <typename C>
void ComputeElement(const Call& call, std::byte* const* at, C* values) {
  const Functor& functor = *call.functor;
  for (size_t i = 0; i < functor.inputs.size(); ++i) {
    const ScalarType stored = call.operands[i + 1].type;
    C value = LoadAs<C>(stored, at[i + 1]);
    if (stored != functor.inputs[i]) {
      value = RoundTo<C>(functor.inputs[i], value);
    }
    values[functor.input_indices[i]] = value;
  }
  C result = RunOperation<C>(functor, values);
  if (call.operands[0].type != functor.result) {
    result = RoundTo<C>(functor.result, result);
  }
  StoreAs<C>(call.operands[0].type, at[0], result);
}

template <typename C>
void ComputeAll(const Call& call, C* values) {
  std::array<std::byte*, Offsets::kMaxOperands> at{};
  for (int64_t element = 0; element < call.elements; ++element) {
    std::array<uint32_t, Offsets::kMaxOperands> offsets{};
    if (call.offsets)
      offsets = call.offsets->At(static_cast<uint32_t>(element));
    for (size_t i = 0; i < call.operands.size(); ++i) {
      at[i] = call.operands[i].data + (call.offsets
                                           ? offsets[i]
                                           : static_cast<size_t>(element) *
                                                 SizeOf(call.operands[i].type));
    }
    ComputeElement<C>(call, at.data(), values);
  }
}

void Compute(const Call& call) {
  const Functor& functor = *call.functor;
  const bool same_type = functor.identity && !call.offsets &&
                         call.operands[0].type == call.operands[1].type;
  if (same_type) {
    std::memmove(call.operands[0].data, call.operands[1].data,
                 call.RangeOf(0).bytes);
  } else if (functor.real) {
    auto values = call.reals;
    ComputeAll<double>(call, values.data());
  } else {
    auto values = call.integers;
    ComputeAll<int64_t>(call, values.data());
  }
}

void Run(const Call& call) {
  std::vector<Range> inputs;
  for (size_t i = 1; i < call.operands.size(); ++i) {
    inputs.push_back(call.RangeOf(i));
  }
  const Range output = call.RangeOf(0);
  const Permission permission = MayCompute(call.elements, inputs, output);
  if (permission.compute) Compute(call);
  MarkOutput(output, call.OutputIsDense(), permission);
}

// The effect of a kernel of which only the place of its output is known.
Effect Forgets(std::byte* output, size_t bytes) {
  return [=] { MarkStale(output, bytes); };
}

// False: what was decoded cannot be.
bool Finish(Call& call, const std::byte* object) {
  const Functor& functor = *call.functor;
  if (call.elements <= 0 || call.elements > INT32_MAX ||
      call.operands.size() != functor.inputs.size() + 1 ||
      (call.offsets && call.offsets->elements() != call.elements)) {
    return false;
  }
  for (const Operand& operand : call.operands) {
    if (operand.data == nullptr || SizeOf(operand.type) == 0) return false;
  }
  for (const Functor::Capture& capture : functor.captures) {
    if (capture.value_index < 0) continue;
    const auto index = static_cast<size_t>(capture.value_index);
    call.reals[index] = LoadAs<double>(capture.type, object + capture.offset);
    call.integers[index] =
        LoadAs<int64_t>(capture.type, object + capture.offset);
  }
  return true;
}

Effect EffectOf(Call call, const std::byte* object) {
  if (!Finish(call, object)) return {};
  auto shared = std::make_shared<const Call>(std::move(call));
  return [shared] { Run(*shared); };
}

// data[0] is the output's address.
std::vector<Operand> OperandsAt(const std::byte* data, const Functor& functor) {
  std::vector<Operand> operands;
  for (size_t i = 0; i <= functor.inputs.size(); ++i) {
    operands.push_back({ReadAt<std::byte*>(data + i * sizeof(void*)),
                        i == 0 ? functor.result : functor.inputs[i - 1]});
  }
  return operands;
}

// LoadWithCast<n> and StoreWithCast<1> begin with the types in memory, which
// for these tensors need not be the functor's.
void ReadTypes(const std::byte* output, const std::byte* inputs,
               std::vector<Operand>& operands) {
  operands[0].type = ReadAt<ScalarType>(output);
  for (size_t i = 1; i < operands.size(); ++i) {
    operands[i].type = ReadAt<ScalarType>(inputs + i - 1);
  }
}

Effect DenseCall(const std::shared_ptr<const Functor>& functor, bool casts,
                 void* const* arguments) {
  const auto elements = ReadAt<int32_t>(arguments[0]);
  const std::byte* data = Bytes(arguments[2]);
  if (functor == nullptr) {
    return Forgets(ReadAt<std::byte*>(data),
                   static_cast<size_t>(elements) * kLargestElementBytes);
  }
  Call call{.functor = functor,
            .elements = elements,
            .operands = OperandsAt(data, *functor),
            .offsets = std::nullopt};
  if (casts) ReadTypes(Bytes(arguments[6]), Bytes(arguments[5]), call.operands);
  return EffectOf(std::move(call), Bytes(arguments[1]));
}

// Dense tensors; the functor's is the kernel's template argument `index`.
Decoder Dense(const NameParts& kernel, size_t index, bool casts) {
  if (kernel.arguments.size() <= index) return {};
  auto found = FindFunctor(kernel.arguments[index]);
  std::shared_ptr<const Functor> functor;
  if (found) functor = std::make_shared<const Functor>(std::move(*found));
  return [functor, casts](const Arguments& launch) {
    return DenseCall(functor, casts, launch.pointers);
  };
}

// The lambda of gpu_kernel_impl (which casts) and gpu_kernel_impl_nocast:
// {OffsetCalculator<n> offsets; char* data[n]; f; [int8_t types[n]]}.
Effect StridedCall(const std::shared_ptr<const Functor>& functor, bool casts,
                   void* const* arguments) {
  const std::byte* lambda = Bytes(arguments[1]);
  const size_t operands = functor->inputs.size() + 1;
  const size_t data = AlignUp(OffsetsBytes(operands), sizeof(void*));
  const size_t object =
      AlignUp(data + operands * sizeof(void*), functor->alignment);
  Call call{.functor = functor,
            .elements = ReadAt<int32_t>(arguments[0]),
            .operands = OperandsAt(lambda + data, *functor),
            .offsets = ReadOffsets(lambda, operands)};
  if (!call.offsets) return {};
  if (casts) {
    const std::byte* types = lambda + object + functor->bytes;
    ReadTypes(types, types + 1, call.operands);
  }
  return EffectOf(std::move(call), lambda + object);
}

Decoder Strided(const NameParts& kernel) {
  if (kernel.arguments.size() < 3) return {};
  const NameParts lambda = TakeApart(kernel.arguments[2]);
  const bool casts = lambda.name == "gpu_kernel_impl";
  if ((!casts && lambda.name != "gpu_kernel_impl_nocast") ||
      lambda.arguments.empty()) {
    return {};
  }
  auto found = FindFunctor(lambda.arguments[0]);
  if (!found) return {};
  auto functor = std::make_shared<const Functor>(std::move(*found));
  return [functor, casts](const Arguments& launch) {
    return StridedCall(functor, casts, launch.pointers);
  };
}

}  // namespace

Decoder ElementwiseDecoder(const NameParts& kernel) {
  if (kernel.name == "vectorized_elementwise_kernel") {
    return Dense(kernel, 1, false);
  }
  if (kernel.name == "unrolled_elementwise_kernel") {
    constexpr size_t kInputOffsets = 3;
    constexpr size_t kStorer = 6;
    if (kernel.arguments.size() <= kStorer ||
        TakeApart(kernel.arguments[kInputOffsets]).name !=
            "TrivialOffsetCalculator") {
      return {};
    }
    const bool casts =
        TakeApart(kernel.arguments[kStorer]).name == "StoreWithCast";
    return Dense(kernel, 0, casts);
  }
  return kernel.name == "elementwise_kernel" ? Strided(kernel) : Decoder{};
}

}  // namespace dltap::simgpu
