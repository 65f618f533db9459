// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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
  bool starts_at_first;  // else at zero, or one for `and`
  Steps<double> real;
  Steps<int64_t> integer;
};

constexpr ReductionRow kRows[] = {
    {"or_kernel_cuda", false, true, {Or, Keep}, {Or, Keep}},
    {"and_kernel_cuda", false, true, {And, Keep}, {And, Keep}},
    {"sum_functor", false, false, {Add, Keep}, {AddWrapping, Keep}},
    {"MeanOps", true, false, {Add, TimesFactor}, {nullptr, nullptr}},
    {"MaxNanFunctor", false, true, {Maximum, Keep}, {Maximum, Keep}},
    {"MinNanFunctor", false, true, {Minimum, Keep}, {Minimum, Keep}},
    {"NormTwoOps", false, false, {AddSquare, SquareRoot}, {nullptr, nullptr}},
};

// What the name tells of a kernel.
struct Reduction {
  const ReductionRow* row = nullptr;  // null: not computed
  ScalarType input = ScalarType::kUnknown;
  ScalarType sum = ScalarType::kUnknown;
  ScalarType output = ScalarType::kUnknown;
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

Reduction FindReduction(const NameParts& reduce_op) {
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
  Reduction found{.row = nullptr,
                  .input = ScalarTypeNamed(reduce_op.arguments[kInput]),
                  .sum = SumType(ops),
                  .output = ScalarTypeNamed(reduce_op.arguments[kOutput])};
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows),
                   [&](const ReductionRow& r) { return r.name == ops.name; });
  const bool computed = row != std::end(kRows) &&
                        reduce_op.arguments[kIndex] == "unsigned int" &&
                        IsComputed(found.input) && IsComputed(found.sum) &&
                        IsComputed(found.output) &&
                        (IsReal(found.sum) || row->integer.combine != nullptr);
  if (computed) found.row = row;
  return found;
}

// One launch that is computed.
struct Call {
  Reduction reduction;
  uint32_t inputs = 0;  // of each output
  uint32_t outputs = 0;
  Offsets input_offsets;   // of an input from the first of its output
  Offsets output_offsets;  // of an output, and of its first input
  std::byte* source = nullptr;
  std::byte* destination = nullptr;
  double factor = 1;

  Range Input() const {
    return {source, input_offsets.Extent(0, SizeOf(reduction.input)) +
                        output_offsets.Extent(1, 0)};
  }
  Range Output() const {
    return {destination, output_offsets.Extent(0, SizeOf(reduction.output))};
  }
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
      const bool takes = i == 0 && reduction.row->starts_at_first;
      sum = takes ? steps.combine(value, value) : steps.combine(sum, value);
    }
    StoreAs<C>(reduction.output, call.destination + base[0],
               steps.project(sum, call.factor));
  }
}

void Run(const Call& call) {
  const int64_t elements = int64_t{call.inputs} * call.outputs;
  const Range output = call.Output();
  const Permission permission = MayCompute(elements, {call.Input()}, output);
  if (permission.compute) {
    if (IsReal(call.reduction.sum)) {
      ComputeAll<double>(call, call.reduction.row->real);
    } else {
      ComputeAll<int64_t>(call, call.reduction.row->integer);
    }
  }
  const bool dense =
      output.bytes == size_t{call.outputs} * SizeOf(call.reduction.output);
  MarkOutput(output, dense, permission);
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
constexpr size_t kAccumulate = 56;
constexpr size_t kFinalOutput = 57;

std::optional<Call> ReadCall(const Reduction& reduction, const std::byte* op,
                             const std::byte* at) {
  const auto config = ReadAt<ReduceConfig>(at);
  const std::byte* inputs = at + sizeof(config);
  const std::byte* outputs = inputs + OffsetsBytes(1);
  const auto end = static_cast<size_t>(outputs - op) + OffsetsBytes(2);
  const std::byte* rest = op + AlignUp(end, sizeof(void*));
  auto input_offsets = ReadOffsets(inputs, 1);
  auto output_offsets = ReadOffsets(outputs, 2);
  if (!input_offsets || !output_offsets || ReadAt<bool>(rest + kAccumulate) ||
      !ReadAt<bool>(rest + kFinalOutput) ||
      config.inputs_per_output != input_offsets->elements() ||
      config.outputs != output_offsets->elements()) {
    return std::nullopt;
  }
  Call call{.reduction = reduction,
            .inputs = static_cast<uint32_t>(config.inputs_per_output),
            .outputs = static_cast<uint32_t>(config.outputs),
            .input_offsets = std::move(*input_offsets),
            .output_offsets = std::move(*output_offsets),
            .source = ReadAt<std::byte*>(rest),
            .destination = ReadAt<std::byte*>(rest + kDestination)};
  if (reduction.row->has_factor) {
    call.factor = LoadAs<double>(reduction.sum, op);
  }
  return call;
}

DecodedLaunch Decode(const Reduction& reduction, const LaunchView& launch) {
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
  if (reduction.row != nullptr) {
    if (auto call = ReadCall(reduction, op, at)) {
      output.range = call->Output();
      input.range = call->Input();
      decoded.effect = EffectOf(std::move(*call));
    }
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
