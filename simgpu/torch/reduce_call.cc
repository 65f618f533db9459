// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/reduce_call.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "simgpu/torch/families.h"
#include "simgpu/torch/operands.h"
#include "simgpu/torch/scalar_type.h"

namespace dltap::simgpu {
namespace {

// `factor`: what MeanOps multiplies with in the end.
template <typename C>
struct Steps {
  C (*combine)(C sum, C value);
  C (*project)(C sum, double factor);
};

template <typename C>
C Keep(C sum, double) {
  return sum;
}
template <typename C>
C Or(C a, C b) {
  return a != 0 || b != 0;
}
template <typename C>
C And(C a, C b) {
  return a != 0 && b != 0;
}
double Add(double a, double b) { return a + b; }
int64_t AddWrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}
template <typename C>
C Maximum(C a, C b) {
  return a != a || a > b ? a : b;  // a NaN wins
}
template <typename C>
C Minimum(C a, C b) {
  return a != a || a < b ? a : b;
}
double AddSquare(double sum, double value) { return sum + value * value; }
double SquareRoot(double sum, double) { return std::sqrt(sum); }
double TimesFactor(double sum, double factor) { return sum * factor; }

// A reduction by the name of its functor, or of the function round its lambda.
struct ReductionRow {
  std::string_view name;
  bool has_factor;       // the object holds a number of the accumulation type
  bool starts_at_first;  // else at zero
  Steps<double> real;
  Steps<int64_t> integer;
  // Of numbers that nobody computed. `all` and `any` are how programs check a
  // tensor, or ask whether a loop is over: checks pass, and loops end.
  std::optional<bool> of_unknown{};
};

constexpr ReductionRow kRows[] = {
    {"or_kernel_cuda", false, true, {Or, Keep}, {Or, Keep}, false},
    {"and_kernel_cuda", false, true, {And, Keep}, {And, Keep}, true},
    {"sum_functor", false, false, {Add, Keep}, {AddWrapping, Keep}},
    {"MeanOps", true, false, {Add, TimesFactor}, {nullptr, nullptr}},
    {"MaxNanFunctor", false, true, {Maximum, Keep}, {Maximum, Keep}},
    {"MinNanFunctor", false, true, {Minimum, Keep}, {Minimum, Keep}},
    {"NormTwoOps", false, false, {AddSquare, SquareRoot}, {nullptr, nullptr}},
};

// What a kernel's name tells, and what computes it: a row, or a function.
// Neither: it is not computed.
struct Kernel {
  Reduction reduction;
  const ReductionRow* row = nullptr;
  RunReduction run = nullptr;
};

// The accumulation type: a lambda's first parameter, else MaxNanFunctor<T>,
// MeanOps<input, sum, factor, output>, NormTwoOps<input, sum, output>.
ScalarType SumType(const NameParts& ops) {
  if (!ops.lambdas.empty()) {
    const auto& parameters = ops.lambdas.back().parameters;
    return parameters.empty() ? ScalarType::kUnknown
                              : ScalarTypeNamed(parameters[0]);
  }
  if (ops.arguments.empty()) return ScalarType::kUnknown;
  return ScalarTypeNamed(ops.arguments[ops.arguments.size() > 1 ? 1 : 0]);
}

Kernel FindReduction(const NameParts& reduce_op) {
  constexpr size_t kInput = 0;
  constexpr size_t kOps = 1;
  constexpr size_t kIndex = 2;
  constexpr size_t kOutput = 3;
  if (reduce_op.name != "ReduceOp" || reduce_op.arguments.size() <= kOutput) {
    return {};
  }
  NameParts ops = TakeApart(reduce_op.arguments[kOps]);
  if (ops.name == "func_wrapper_t" && ops.arguments.size() == 2) {
    ops = TakeApart(ops.arguments[1]);
  }
  const Reduction found{
      .input = ScalarTypeNamed(reduce_op.arguments[kInput]),
      .sum = SumType(ops),
      .output = ScalarTypeNamed(reduce_op.arguments[kOutput])};
  Kernel kernel{.reduction = found};
  if (reduce_op.arguments[kIndex] != "unsigned int" ||
      !IsComputed(found.input) || !IsComputed(found.output)) {
    return kernel;
  }
  kernel.run = FindPlaceReduction(ops);
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows),
                   [&](const ReductionRow& r) { return r.name == ops.name; });
  if (row != std::end(kRows) && IsComputed(found.sum) &&
      (IsReal(found.sum) || row->integer.combine != nullptr)) {
    kernel.row = row;
  }
  return kernel;
}

// One launch that a row computes.
struct Call : ReduceCall {
  const ReductionRow* row = nullptr;
};

template <typename C>
void ComputeAll(const Call& call, const Steps<C>& steps) {
  const Reduction& reduction = call.reduction;
  for (uint32_t output = 0; output < call.outputs; ++output) {
    const auto base = call.output_offsets.At(output);
    const std::byte* first = call.source + base[1];
    C sum = 0;
    for (uint32_t i = 0; i < call.inputs; ++i) {
      const C value =
          LoadAs<C>(reduction.input, first + call.input_offsets.At(i)[0]);
      // A single element must still be projected to true or false.
      const bool takes = i == 0 && call.row->starts_at_first;
      sum = takes ? steps.combine(value, value) : steps.combine(sum, value);
    }
    StoreAs<C>(reduction.output, call.destination + base[0],
               steps.project(sum, call.factor));
  }
}

void Decide(const Call& call, bool verdict) {
  for (uint32_t output = 0; output < call.outputs; ++output) {
    StoreAs<int64_t>(call.reduction.output,
                     call.destination + call.output_offsets.At(output)[0],
                     verdict ? 1 : 0);
  }
  MarkAssumed(call.Output().data, call.Output().bytes);
}

void Run(const Call& call) {
  const Range output = call.Output();
  const Permission permission =
      MayCompute(call.elements(), {call.Input()}, output, call.reduction.input);
  const std::optional<bool> verdict = call.row->of_unknown;
  if (verdict && permission.result != Freshness::kFresh &&
      IsAllocated(output)) {
    Decide(call, *verdict);
    return;
  }
  if (permission.compute) {
    if (IsReal(call.reduction.sum)) {
      ComputeAll<double>(call, call.row->real);
    } else {
      ComputeAll<int64_t>(call, call.row->integer);
    }
  }
  MarkOutput(output, call.IsDense(), permission, call.reduction.output);
}

// at::native::ReduceConfig (aten/src/ATen/native/cuda/Reduce.cuh).
struct ReduceConfig {
  int32_t element_size_bytes;
  int32_t inputs_per_output;
  int32_t outputs;
  int32_t step_input, step_output;
  int32_t blocks_per_output;
  int32_t input_mult[3];
  int32_t output_mult[2];
  int32_t block_width, block_height;
  int32_t threads;
  int32_t vectorize_input, output_vector_size;
};
static_assert(sizeof(ReduceConfig) == 64);

bool Describes(const ReduceConfig& config, const LaunchView& launch) {
  return config.block_width == static_cast<int64_t>(launch.block.x) &&
         config.block_height == static_cast<int64_t>(launch.block.y) &&
         config.threads == int64_t{config.block_width} * config.block_height &&
         config.inputs_per_output > 0 && config.outputs > 0 &&
         config.element_size_bytes > 0 && config.element_size_bytes <= 32 &&
         config.blocks_per_output == static_cast<int64_t>(launch.grid.y);
}

// ReduceOp {ops; sum_t ident; ReduceConfig; OffsetCalculator<1>;
// OffsetCalculator<2>; ...}: the sizes of the first two vary, so that the
// configuration is found by its agreeing with the launch. Null: nowhere.
const std::byte* FindConfig(const std::byte* op, const LaunchView& launch) {
  constexpr size_t kLastOffset = 64;
  for (size_t offset = 0; offset <= kLastOffset; offset += 4) {
    if (Describes(ReadAt<ReduceConfig>(op + offset), launch)) {
      return op + offset;
    }
  }
  return nullptr;
}

// What follows the offset calculators: const void* src; char* dst[2];
// void* acc_buf, *cta_buf; int* semaphores; int64_t base_idx;
// bool accumulate, final_output.
constexpr size_t kDestination = 8;
constexpr size_t kSecondDestination = 16;
constexpr size_t kAccumulate = 56;
constexpr size_t kFinalOutput = 57;

const std::byte* BehindOffsets(const std::byte* op, const std::byte* config) {
  const auto end = static_cast<size_t>(config - op) + sizeof(ReduceConfig) +
                   OffsetsBytes(1) + OffsetsBytes(2);
  return op + AlignUp(end, sizeof(void*));
}

std::optional<ReduceCall> ReadCall(const Reduction& reduction,
                                   const std::byte* op, const std::byte* at) {
  const auto config = ReadAt<ReduceConfig>(at);
  const std::byte* inputs = at + sizeof(config);
  const std::byte* rest = BehindOffsets(op, at);
  auto input_offsets = ReadOffsets(inputs, 1);
  auto output_offsets = ReadOffsets(inputs + OffsetsBytes(1), 2);
  if (!input_offsets || !output_offsets || ReadAt<bool>(rest + kAccumulate) ||
      !ReadAt<bool>(rest + kFinalOutput) ||
      config.inputs_per_output != input_offsets->elements() ||
      config.outputs != output_offsets->elements()) {
    return std::nullopt;
  }
  return ReduceCall{
      .reduction = reduction,
      .inputs = static_cast<uint32_t>(config.inputs_per_output),
      .outputs = static_cast<uint32_t>(config.outputs),
      .input_offsets = std::move(*input_offsets),
      .output_offsets = std::move(*output_offsets),
      .source = ReadAt<std::byte*>(rest),
      .destination = ReadAt<std::byte*>(rest + kDestination),
      .second_destination = ReadAt<std::byte*>(rest + kSecondDestination)};
}

Effect EffectOf(const Kernel& kernel, ReduceCall call, const std::byte* op) {
  if (kernel.run != nullptr) {
    return [run = kernel.run, call = std::move(call)] { run(call); };
  }
  if (kernel.row->has_factor) {
    call.factor = LoadAs<double>(kernel.reduction.sum, op);
  }
  return dltap::simgpu::EffectOf(Call{std::move(call), kernel.row});
}

DecodedLaunch Decode(const Kernel& kernel, const LaunchView& launch) {
  const Reduction& reduction = kernel.reduction;
  const std::byte* op = Bytes(launch.arguments[0]);
  const std::byte* at = FindConfig(op, launch);
  DecodedLaunch decoded;
  if (at == nullptr) return decoded;
  const auto config = ReadAt<ReduceConfig>(at);
  const auto bytes = [&](ScalarType type) {
    return SizeOf(type) > 0 ? SizeOf(type)
                            : static_cast<size_t>(config.element_size_bytes);
  };
  Operand output{.range = {},
                 .elements = config.outputs,
                 .element_bytes = bytes(reduction.output),
                 .type = reduction.output,
                 .access = Operand::kWrite};
  Operand input{.range = {},
                .elements = int64_t{config.outputs} * config.inputs_per_output,
                .element_bytes = bytes(reduction.input),
                .type = reduction.input,
                .access = Operand::kRead};
  const bool is_computed = kernel.row != nullptr || kernel.run != nullptr;
  auto call = is_computed ? ReadCall(reduction, op, at) : std::nullopt;
  if (call) {
    output.range = call->Output();
    input.range = call->Input();
    decoded.effect = EffectOf(kernel, std::move(*call), op);
  } else {
    const std::byte* rest = BehindOffsets(op, at);
    decoded.may_write = {ReadAt<const void*>(rest + kDestination),
                         ReadAt<const void*>(rest + kSecondDestination)};
  }
  decoded.Add(output);
  decoded.Add(input);
  return decoded;
}

}  // namespace

Decoder ReduceDecoder(const NameParts& kernel) {
  if (kernel.name != "reduce_kernel" || kernel.arguments.size() != 3) return {};
  return DecodeBy(Decode, FindReduction(TakeApart(kernel.arguments[2])));
}

}  // namespace dltap::simgpu
