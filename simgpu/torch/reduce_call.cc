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

// What a kernel's name tells, and what computes it; empty: it is not computed.
struct Kernel {
  Reduction reduction;
  RunReduction run{};
};

// The accumulation type: a lambda's first parameter, else MaxNanFunctor<T>,
// MeanOps<input, sum, factor, output>, NormTwoOps<input, sum, output>,
// WelfordOps<input, sum, ..>.
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
  if (!kernel.run) kernel.run = FindStepReduction(ops, found);
  if (!kernel.run) kernel.run = FindSpreadReduction(ops, found);
  return kernel;
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
      .second_destination = ReadAt<std::byte*>(rest + kSecondDestination),
      .factor = IsReal(reduction.sum) ? LoadAs<double>(reduction.sum, op) : 1,
      .flag = op[SizeOf(reduction.sum)] != std::byte{0}};
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
  auto call = kernel.run ? ReadCall(reduction, op, at) : std::nullopt;
  if (call) {
    output.range = call->Output();
    input.range = call->Input();
    decoded.effect = [run = kernel.run, call = std::move(*call)] { run(call); };
  } else {
    const std::byte* rest = BehindOffsets(op, at);
    const NumberType type = IsReal(reduction.output)
                                ? NumberTypeOf(reduction.output)
                                : NumberType::kUnknown;
    decoded.may_write.emplace(
        {WriteTarget{ReadAt<const void*>(rest + kDestination), 0, type},
         WriteTarget{ReadAt<const void*>(rest + kSecondDestination), 0, type}});
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
