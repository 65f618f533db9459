// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/reduce_call.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

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

struct Reduction {
  const ReductionRow* row;
  ScalarType input;
  ScalarType sum;
  ScalarType output;
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

std::optional<Reduction> FindReduction(const NameParts& reduce_op) {
  constexpr size_t kInput = 0;
  constexpr size_t kOps = 1;
  constexpr size_t kIndex = 2;
  constexpr size_t kOutput = 3;
  if (reduce_op.name != "ReduceOp" || reduce_op.arguments.size() <= kOutput ||
      reduce_op.arguments[kIndex] != "unsigned int") {
    return std::nullopt;
  }
  NameParts ops = TakeApart(reduce_op.arguments[kOps]);
  if (ops.name == "func_wrapper_t" && ops.arguments.size() == 2) {
    ops = TakeApart(ops.arguments[1]);
  }
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows),
                   [&](const ReductionRow& r) { return r.name == ops.name; });
  const Reduction found{
      .row = row,
      .input = ScalarTypeNamed(reduce_op.arguments[kInput]),
      .sum = SumType(ops),
      .output = ScalarTypeNamed(reduce_op.arguments[kOutput])};
  if (row == std::end(kRows) || SizeOf(found.input) == 0 ||
      SizeOf(found.sum) == 0 || SizeOf(found.output) == 0 ||
      (!IsReal(found.sum) && row->integer.combine == nullptr)) {
    return std::nullopt;
  }
  return found;
}

// One launch, decoded.
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

// ReduceConfig: int element_size_bytes, num_inputs, num_outputs, ...
constexpr size_t kConfigBytes = 64;
constexpr size_t kConfigInputs = 4;
constexpr size_t kConfigOutputs = 8;

// What follows the offset calculators: const void* src; char* dst[2];
// void* acc_buf, *cta_buf; int* semaphores; int64_t base_idx;
// bool accumulate, final_output.
constexpr size_t kDestination = 8;
constexpr size_t kAccumulate = 56;
constexpr size_t kFinalOutput = 57;

// {ops; sum_t ident; ReduceConfig; OffsetCalculator<1>; OffsetCalculator<2>;
// ...}
std::optional<Call> Decode(const Reduction& reduction, const std::byte* from) {
  const size_t sum_bytes = SizeOf(reduction.sum);
  const size_t ops_bytes = reduction.row->has_factor ? sum_bytes : 1;
  const size_t config = AlignUp(AlignUp(ops_bytes, sum_bytes) + sum_bytes, 4);
  const size_t inputs = config + kConfigBytes;
  const size_t outputs = inputs + OffsetsBytes(1);
  const std::byte* rest =
      from + AlignUp(outputs + OffsetsBytes(2), sizeof(void*));
  const auto input_offsets = ReadOffsets(from + inputs, 1);
  const auto output_offsets = ReadOffsets(from + outputs, 2);
  if (!input_offsets || !output_offsets || ReadAt<bool>(rest + kAccumulate) ||
      !ReadAt<bool>(rest + kFinalOutput)) {
    return std::nullopt;
  }
  Call call{.reduction = reduction,
            .inputs = ReadAt<uint32_t>(from + config + kConfigInputs),
            .outputs = ReadAt<uint32_t>(from + config + kConfigOutputs),
            .input_offsets = *input_offsets,
            .output_offsets = *output_offsets,
            .source = ReadAt<std::byte*>(rest),
            .destination = ReadAt<std::byte*>(rest + kDestination)};
  if (call.inputs != call.input_offsets.elements() ||
      call.outputs != call.output_offsets.elements()) {
    return std::nullopt;
  }
  if (reduction.row->has_factor) {
    call.factor = LoadAs<double>(reduction.sum, from);
  }
  return call;
}

}  // namespace

Decoder ReduceDecoder(const NameParts& kernel) {
  if (kernel.name != "reduce_kernel" || kernel.arguments.size() != 3) return {};
  const auto reduction = FindReduction(TakeApart(kernel.arguments[2]));
  if (!reduction) return {};
  return [reduction = *reduction](const Arguments& launch) -> Effect {
    auto call = Decode(reduction, Bytes(launch.pointers[0]));
    if (!call) return {};
    auto shared = std::make_shared<const Call>(std::move(*call));
    return [shared] { Run(*shared); };
  };
}

}  // namespace dltap::simgpu
