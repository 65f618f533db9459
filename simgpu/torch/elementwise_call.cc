// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "simgpu/bytes/written_memory.h"
#include "simgpu/torch/families.h"
#include "simgpu/torch/functor.h"
#include "simgpu/torch/operands.h"

namespace dltap::simgpu {
namespace {

// Elements whose type is not known count as these, or as the largest bytes.
constexpr ScalarType kUsualType = ScalarType::kInt32;
constexpr size_t kLargestElementBytes = 16;

// What the name tells of a kernel.
struct Elementwise {
  std::shared_ptr<const Functor> functor;
  bool casts = false;  // the types in memory need not be the functor's
};

// One launch that is computed. The output comes first.
struct Call {
  std::shared_ptr<const Functor> functor;
  int64_t elements = 0;
  std::vector<Operand> operands;
  std::optional<Offsets> offsets;  // none: all are dense
  std::array<double, kMaxValues> reals{};
  std::array<int64_t, kMaxValues> integers{};
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
      const Operand& operand = call.operands[i];
      at[i] =
          operand.range.data +
          (call.offsets ? offsets[i]
                        : static_cast<size_t>(element) * operand.element_bytes);
    }
    ComputeElement<C>(call, at.data(), values);
  }
}

void Compute(const Call& call) {
  const Functor& functor = *call.functor;
  const bool same_type = functor.identity && !call.offsets &&
                         call.operands[0].type == call.operands[1].type;
  if (same_type) {
    const Range& output = call.operands[0].range;
    std::memmove(output.data, call.operands[1].range.data, output.bytes);
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
  const Operand& output = call.operands[0];
  ScalarType type = output.type;
  for (size_t i = 1; i < call.operands.size(); ++i) {
    inputs.push_back(call.operands[i].range);
    if (IsReal(call.operands[i].type)) type = call.operands[i].type;
  }
  const Permission permission =
      MayCompute(call.elements, inputs, output.range, type);
  if (permission.compute) Compute(call);
  const bool dense = output.range.bytes ==
                     static_cast<size_t>(call.elements) * output.element_bytes;
  MarkOutput(output.range, dense, permission, output.type);
}

// False: what was decoded cannot be computed with.
bool IsPossible(const Call& call) {
  return call.elements > 0 && call.elements <= INT32_MAX &&
         std::all_of(call.operands.begin(), call.operands.end(),
                     [](const Operand& operand) {
                       return operand.range.data != nullptr &&
                              IsComputed(operand.type);
                     });
}

Effect ComputedEffect(Call call, const std::byte* object) {
  if (!IsPossible(call)) return {};
  for (const Functor::Capture& capture : call.functor->captures) {
    if (capture.value_index < 0) continue;
    const auto index = static_cast<size_t>(capture.value_index);
    call.reals[index] = LoadAs<double>(capture.type, object + capture.offset);
    call.integers[index] =
        LoadAs<int64_t>(capture.type, object + capture.offset);
  }
  return EffectOf(std::move(call));
}

// `data`: an address for each operand, the output's first; null: not known.
// `types`: of each in memory; null: the functor's.
void AddOperands(const Functor& functor, int64_t elements,
                 const std::byte* data, const ScalarType* types,
                 DecodedLaunch* launch) {
  for (size_t i = 0; i <= functor.inputs.size(); ++i) {
    ScalarType type = i == 0 ? functor.result : functor.inputs[i - 1];
    if (types != nullptr) type = types[i];
    std::byte* begin =
        data == nullptr ? nullptr : ReadAt<std::byte*>(data + i * 8);
    if (SizeOf(type) == 0) type = kUsualType;
    launch->Add(Operand::Dense(begin, elements, type,
                               i == 0 ? Operand::kWrite : Operand::kRead));
  }
}

// LoadWithCast<n> and StoreWithCast<1> begin with the types in memory.
using Types = std::array<ScalarType, DecodedLaunch::kMaxOperands>;
Types ReadTypes(const std::byte* output, const std::byte* inputs,
                size_t input_count) {
  Types types{ReadAt<ScalarType>(output)};
  for (size_t i = 0; i < input_count && i + 1 < types.size(); ++i) {
    types[i + 1] = ReadAt<ScalarType>(inputs + i);
  }
  return types;
}

Call CallOf(const Elementwise& kernel, int64_t elements,
            const DecodedLaunch& launch) {
  const auto operands = launch.operands();
  return {.functor = kernel.functor,
          .elements = elements,
          .operands = {operands.begin(), operands.end()},
          .offsets = std::nullopt};
}

// (int n, functor, array<char*> data[, input offsets, output offsets, loader,
// storer])
DecodedLaunch Dense(const Elementwise& kernel, const LaunchView& view) {
  const Functor& functor = *kernel.functor;
  const auto elements = ReadAt<int32_t>(view.arguments[0]);
  const std::byte* data = Bytes(view.arguments[2]);
  Types types{};
  if (kernel.casts) {
    types = ReadTypes(Bytes(view.arguments[6]), Bytes(view.arguments[5]),
                      functor.inputs.size());
  }
  DecodedLaunch launch;
  AddOperands(functor, elements, data, kernel.casts ? types.data() : nullptr,
              &launch);
  if (functor.IsComputed()) {
    launch.effect = ComputedEffect(CallOf(kernel, elements, launch),
                                   Bytes(view.arguments[1]));
  } else if (elements > 0) {
    const ScalarType stored = kernel.casts ? types[0] : functor.result;
    const size_t bytes =
        SizeOf(stored) > 0 ? SizeOf(stored) : kLargestElementBytes;
    launch.effect = [output = launch.operands()[0].range.data,
                     bytes = static_cast<size_t>(elements) * bytes, stored] {
      MarkStale(output, bytes, NumberTypeOf(stored));
    };
  }
  return launch;
}

// Dense tensors behind offset calculators that do more than that: only how
// much is moved.
DecodedLaunch Counted(const Elementwise& kernel, const LaunchView& view) {
  DecodedLaunch launch;
  AddOperands(*kernel.functor, ReadAt<int32_t>(view.arguments[0]), nullptr,
              nullptr, &launch);
  return launch;
}

// elementwise_kernel's lambda, that of gpu_kernel_impl (which casts) or of
// gpu_kernel_impl_nocast: {OffsetCalculator<n> offsets; char* data[n]; f;
// [int8_t types[n]]}.
DecodedLaunch Strided(const Elementwise& kernel, const LaunchView& view) {
  const Functor& functor = *kernel.functor;
  const auto elements = ReadAt<int32_t>(view.arguments[0]);
  const std::byte* lambda = Bytes(view.arguments[1]);
  const size_t operands = functor.inputs.size() + 1;
  auto offsets =
      functor.counts_inputs ? ReadOffsets(lambda, operands) : std::nullopt;
  if (!offsets || offsets->elements() != elements) return Counted(kernel, view);
  const size_t data = AlignUp(OffsetsBytes(operands), sizeof(void*));
  const std::byte* object =
      lambda + AlignUp(data + operands * sizeof(void*), functor.alignment);
  const bool casts = kernel.casts && functor.IsComputed();
  Types types{};
  if (casts) {
    const std::byte* stored = object + functor.bytes;
    types = ReadTypes(stored, stored + 1, functor.inputs.size());
  }
  DecodedLaunch launch;
  AddOperands(functor, elements, lambda + data, casts ? types.data() : nullptr,
              &launch);
  for (size_t i = 0; i < operands; ++i) {
    Operand& operand = launch.all_operands[i];
    operand.range.bytes = offsets->Extent(i, operand.element_bytes);
    operand.elements = offsets->ElementsOf(i);
    launch.sector_bytes += offsets->SectorBytes(i, operand.element_bytes);
  }
  if (!functor.IsComputed()) {
    launch.effect = [output = launch.operands()[0].range] {
      MarkStale(output.data, output.bytes, NumberTypeOf(output.type));
    };
    return launch;
  }
  Call call = CallOf(kernel, elements, launch);
  call.offsets = std::move(*offsets);
  launch.effect = ComputedEffect(std::move(call), object);
  return launch;
}

// `arrays`: of addresses, that the kernel is given; 0: the functor says.
Elementwise KernelOf(std::string_view functor, size_t arrays, bool casts) {
  Functor found = FindFunctor(functor, arrays == 0 ? 1 : arrays - 1);
  if (arrays > 0 && found.inputs.size() != arrays - 1) {
    Functor types;
    types.result = found.result;
    types.inputs.assign(arrays - 1, found.result);
    found = std::move(types);
  }
  return {std::make_shared<const Functor>(std::move(found)), casts};
}

// "std::array<char*, 3ul>"
size_t ArraysIn(std::string_view type) {
  const NameParts array = TakeApart(type);
  return array.arguments.size() == 2 ? NumberIn(array.arguments[1]) : 0;
}

Decoder StridedDecoder(const NameParts& kernel) {
  if (kernel.arguments.size() < 3) return {};
  const NameParts lambda = TakeApart(kernel.arguments[2]);
  const bool casts = lambda.name == "gpu_kernel_impl";
  const bool known = casts || lambda.name == "gpu_kernel_impl_nocast";
  if (lambda.arguments.empty()) return {};
  return DecodeBy(known ? Strided : Counted,
                  KernelOf(lambda.arguments[0], 0, casts));
}

// <functor, arrays, (not before PyTorch 2.5: elements a thread,) offsets of the
// inputs, of the outputs, loader, storer>
Decoder UnrolledDecoder(const NameParts& kernel) {
  const size_t arrays = ArraysIn(kernel.arguments[1]);
  if (arrays == 0) return {};
  const std::span<const std::string_view> arguments = kernel.arguments;
  const bool dense = arguments.size() >= 6 &&
                     TakeApart(arguments[arguments.size() - 4]).name ==
                         "TrivialOffsetCalculator";
  const bool casts =
      dense && TakeApart(arguments.back()).name == "StoreWithCast";
  return DecodeBy(dense ? Dense : Counted,
                  KernelOf(kernel.arguments[0], arrays, casts));
}

}  // namespace

Decoder ElementwiseDecoder(const NameParts& kernel) {
  if (kernel.name == "elementwise_kernel") return StridedDecoder(kernel);
  if (kernel.arguments.size() < 3) return {};
  if (kernel.name == "unrolled_elementwise_kernel") {
    return UnrolledDecoder(kernel);
  }
  const size_t arrays = ArraysIn(kernel.arguments[2]);
  if (kernel.name != "vectorized_elementwise_kernel" || arrays == 0) return {};
  const NameParts function = TakeApart(kernel.arguments[1]);
  if (function.name == "launch_masked_scatter_kernel") {
    return MaskedScatterDecoder(function);
  }
  return DecodeBy(Dense, KernelOf(kernel.arguments[1], arrays, false));
}

}  // namespace dltap::simgpu
