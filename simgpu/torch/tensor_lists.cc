// SPDX-License-Identifier: Apache-2.0
// Reductions and lists of tensors of PyTorch, from the structs that they are
// given by value.
#include <algorithm>
#include <string_view>

#include "simgpu/bytes/mapped_pages.h"
#include "simgpu/torch/launch_readers.h"
#include "simgpu/torch/mangled_name.h"
#include "simgpu/torch/tensor_lists.h"

namespace dltap::simgpu {
namespace {

// at::native::ReduceConfig (aten/src/ATen/native/cuda/Reduce.cuh), its start.
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
};

bool Describes(const ReduceConfig& config, const LaunchView& launch) {
  return config.block_width == static_cast<int64_t>(launch.block.x) &&
         config.block_height == static_cast<int64_t>(launch.block.y) &&
         config.threads == config.block_width * config.block_height &&
         config.inputs_per_output > 0 && config.outputs > 0 &&
         config.element_size_bytes > 0 && config.element_size_bytes <= 32 &&
         config.blocks_per_output == static_cast<int64_t>(launch.grid.y);
}

constexpr int64_t kChunkElements = TensorListLayout::kChunkElements;
constexpr int64_t kMostElements = int64_t{1} << 40;  // of a tensor, to believe

// What a functor does with the `depth` lists; the rest of the functors read
// r_args_depth of them (their second number) and write one.
struct ListFunctor {
  std::string_view mark;
  int reads;   // 0: all lists
  int writes;  // 0: none; -1: all but the gradients
};
constexpr ListFunctor kListFunctors[] = {
    {"FusedAdam", 0, -1},    {"FusedSgd", 0, -1},    {"FusedAdagrad", 0, -1},
    {"LpNormFunctor", 1, 0}, {"LpMaxFunctor", 1, 0},
};

// "...FunctorIfLi2ELi1ELi1EE": {2, 1, 1}.
int Numbers(std::string_view arguments, int (&numbers)[3]) {
  int count = 0;
  for (size_t at = arguments.find("Li"); at != std::string_view::npos;
       at = arguments.find("Li", at + 2)) {
    numbers[count++] = LeadingNumber(arguments.substr(at + 2));
    if (count == 3) break;
  }
  return count;
}

// Arrays that one element takes part in.
double ListOperands(std::string_view functor, int depth) {
  for (const ListFunctor& row : kListFunctors) {
    if (functor.find(row.mark) == std::string_view::npos) continue;
    const int writes = row.writes < 0 ? depth - 1 : row.writes;
    return (row.reads > 0 ? row.reads : depth) + writes;
  }
  int numbers[3] = {};
  const bool known = Numbers(functor, numbers) == 3;
  return (known ? std::max(1, numbers[1]) : depth) + 1;
}

// Elements of the chunks that the blocks of this launch own; 0: the struct is
// not laid out so. `columns`: numbers for each tensor behind the addresses.
double ListElements(const TensorListLayout& layout, const std::byte* metadata,
                    size_t depth, size_t columns, size_t blocks) {
  const size_t tensors = layout.tensors[depth - 1];
  const std::byte* sizes = metadata + sizeof(void*) * depth * tensors;
  const std::byte* to_tensor = sizes + columns * sizeof(int64_t) * tensors;
  if (blocks > layout.blocks ||
      !ArePagesMapped(metadata, layout.Bytes(depth, columns))) {
    return 0;
  }
  double elements = 0;
  for (size_t block = 0; block < blocks; ++block) {
    const size_t tensor = layout.TensorOfBlock(to_tensor, block);
    const int64_t chunk = layout.ChunkOfBlock(to_tensor, block);
    if (tensor >= tensors || chunk < 0) return 0;
    int64_t size = 0;
    std::memcpy(&size, sizes + tensor * sizeof(size), sizeof(size));
    const int64_t rest = size - chunk * kChunkElements;
    if (rest <= 0 || size > kMostElements) return 0;
    elements += static_cast<double>(std::min(rest, kChunkElements));
  }
  return elements;
}

}  // namespace

// ReduceOp begins with its functor and the identity, whose sizes vary; the
// configuration after them is found by its agreeing with the launch.
LaunchCost ReadReduction(const LaunchCostRule& rule, const LaunchView& launch) {
  constexpr size_t kLastOffset = 64;
  const auto* op = static_cast<const std::byte*>(launch.arguments[0]);
  for (size_t offset = 0; offset <= kLastOffset; offset += 4) {
    ReduceConfig config;
    std::memcpy(&config, op + offset, sizeof(config));
    if (!Describes(config, launch)) continue;
    const double outputs = config.outputs;
    // ReduceOp<scalar, ...>
    const std::string_view name = rule.name;
    constexpr std::string_view kOp = "ReduceOpI";
    const size_t type = name.find(kOp);
    const double element_bytes =
        type == std::string_view::npos
            ? config.element_size_bytes
            : SizeOfType(name.substr(type + kOp.size()));
    return {.bytes = element_bytes * outputs *
                     (static_cast<double>(config.inputs_per_output) + 1)};
  }
  return {};
}

// multi_tensor_apply_kernel<Metadata<depth>, Functor, ...>(metadata, ...)
LaunchCost ReadTensorList(const LaunchCostRule& rule,
                          const LaunchView& launch) {
  const std::string_view name = rule.name;
  constexpr std::string_view kMark = "18TensorListMetadataILi";
  constexpr std::string_view kOptimizerMark =
      "32FusedOptimizerTensorListMetadataILi";
  size_t at = name.find(kMark);
  const bool optimizer = at == std::string_view::npos;
  if (optimizer) at = name.find(kOptimizerMark);
  if (at == std::string_view::npos) return {};
  const std::string_view rest =
      name.substr(at + (optimizer ? kOptimizerMark : kMark).size());
  const int depth = LeadingNumber(rest);
  if (depth < 1 || depth > 5) return {};
  const size_t functor = rest.find("Functor");
  if (functor == std::string_view::npos) return {};
  const std::string_view arguments = rest.substr(functor);
  const size_t types = arguments.find('I');
  if (types == std::string_view::npos) return {};
  const auto* metadata = static_cast<const std::byte*>(launch.arguments[0]);
  // Optimizers are given the addresses of their step counts as well.
  const size_t columns = optimizer ? 2 : 1;
  double elements = 0;
  for (const TensorListLayout& layout : kTensorListLayouts) {
    elements = ListElements(layout, metadata, static_cast<size_t>(depth),
                            columns, launch.grid.x);
    if (elements > 0) break;
  }
  return {.bytes = elements * SizeOfType(arguments.substr(types + 1)) *
                   ListOperands(rest, depth)};
}

// CatArrayBatchedCopy*<OpaqueType<S>, unsigned, dimensions, count, ...>(output,
// CatArrInputTensorMetadata<.., count, ..>, ...): `count` addresses, offsets,
// sizes and element counts; a row of blocks for each input.
LaunchCost ReadConcatenation(const LaunchCostRule& rule,
                             const LaunchView& launch) {
  const std::string_view name = rule.name;
  constexpr std::string_view kUnsignedIndex = "EEEj";
  const size_t at = name.find(kUnsignedIndex);
  int numbers[3] = {};
  if (at == std::string_view::npos || Numbers(name.substr(at), numbers) < 2) {
    return {};
  }
  const size_t most = static_cast<size_t>(numbers[1]);
  const size_t inputs = launch.grid.y;
  if (inputs > most) return {};
  const auto* counts = static_cast<const std::byte*>(launch.arguments[1]) +
                       most * (sizeof(void*) + 2 * sizeof(uint32_t));
  double elements = 0;
  for (size_t i = 0; i < inputs; ++i) {
    uint32_t count = 0;
    std::memcpy(&count, counts + i * sizeof(count), sizeof(count));
    elements += count;
  }
  return {.bytes = elements * rule.operands * rule.element_bytes};
}

}  // namespace dltap::simgpu
