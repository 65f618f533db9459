// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>

#include "simgpu/torch/families.h"
#include "simgpu/torch/operands.h"

namespace dltap::simgpu {
namespace {

// vectorized_gather_kernel<alignment, index>(char* out, char* in, index* rows,
// int n, int64_t row_bytes, int64_t rows, int64_t in_stride,
// int64_t out_stride, bool): whole rows.
struct Gather {
  std::byte* output;
  std::byte* input;
  std::byte* rows;
  int64_t count;
  int64_t row_bytes;
  int64_t input_rows;
  int64_t input_stride;
  int64_t output_stride;

  static size_t Extent(int64_t rows, int64_t stride, int64_t row_bytes) {
    return static_cast<size_t>((rows - 1) * stride + row_bytes);
  }
  Range Output() const {
    return {output, Extent(count, output_stride, row_bytes)};
  }
  Range Input() const {
    return {input, Extent(input_rows, input_stride, row_bytes)};
  }
};

void Run(const Gather& call) {
  const Range output = call.Output();
  const Permission permission = MayCompute(
      call.count * call.row_bytes,
      {call.Input(), {call.rows, static_cast<size_t>(call.count) * 8}}, output);
  for (int64_t i = 0; permission.compute && i < call.count; ++i) {
    auto row = ReadAt<int64_t>(call.rows + i * 8);
    if (row < 0) row += call.input_rows;
    if (row < 0 || row >= call.input_rows) continue;
    std::memmove(call.output + i * call.output_stride,
                 call.input + row * call.input_stride,
                 static_cast<size_t>(call.row_bytes));
  }
  MarkOutput(output, call.output_stride == call.row_bytes, permission);
}

DecodedLaunch DecodeGather(const bool& computed, const LaunchView& launch) {
  void* const* arguments = launch.arguments;
  const Gather call{.output = ReadAt<std::byte*>(arguments[0]),
                    .input = ReadAt<std::byte*>(arguments[1]),
                    .rows = ReadAt<std::byte*>(arguments[2]),
                    .count = ReadAt<int32_t>(arguments[3]),
                    .row_bytes = ReadAt<int64_t>(arguments[4]),
                    .input_rows = ReadAt<int64_t>(arguments[5]),
                    .input_stride = ReadAt<int64_t>(arguments[6]),
                    .output_stride = ReadAt<int64_t>(arguments[7])};
  if (call.count < 1 || call.row_bytes < 1 || call.input_rows < 1 ||
      call.input_stride < 0 || call.output_stride < call.row_bytes) {
    return {};
  }
  const auto row_bytes = static_cast<size_t>(call.row_bytes);
  DecodedLaunch decoded;
  decoded.Add({.range = call.Output(),
               .elements = call.count,
               .element_bytes = row_bytes,
               .access = Operand::kWrite});
  decoded.Add({.range = call.Input(),
               .elements = call.count,
               .element_bytes = row_bytes,
               .access = Operand::kRead});
  if (computed) decoded.effect = EffectOf(call);
  return decoded;
}

}  // namespace

Decoder GatherDecoder(const NameParts& kernel) {
  if (kernel.name != "vectorized_gather_kernel") return {};
  const bool computed =
      kernel.arguments.size() == 2 && kernel.arguments[1] == "long";
  return DecodeBy(DecodeGather, computed);
}

}  // namespace dltap::simgpu
