// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/write_targets.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "simgpu/torch/decoded_launch.h"
#include "simgpu/torch/kernel_name.h"
#include "simgpu/torch/operands.h"
#include "simgpu/torch/scalar_type.h"

namespace dltap::simgpu {
namespace {

constexpr size_t kPointer = sizeof(void*);

// Objects by the names of their types. What lies behind one on the caller's
// stack are often addresses, too, of tensors that the kernel has nothing to do
// with: objects of unknown size are searched where they are PyTorch's, whose
// kernels write to what their arguments name. That spoils a few tensors too
// many, and not all of them.
struct ObjectRow {
  std::string_view name_holds;
  // That may hold addresses to write to; kTold: the kernel's decoder says.
  size_t bytes;
};
constexpr size_t kTold = ~size_t{0};
constexpr size_t kUnknown = kTold - 1;
// PyTorch's functions over elements hold the tensors that they write, and the
// offset calculators that tell where: 8 operands take less.
constexpr size_t kPytorchObject = 1024;
// CUB's and Thrust's iterators and states are few words.
constexpr size_t kCubObject = 64;

constexpr ObjectRow kObjects[] = {
    {"Functor", 0},
    {"LTOp", 0},
    {"GTOp", 0},
    {"ReduceAdd", 0},
    {"plus", 0},
    {"minus", 0},
    {"multiplies", 0},
    {"divides", 0},
    {"Philox", 0},
    {"OffsetCalculator", 0},
    {"IntDivider", 0},
    {"LoadWith", 0},
    {"StoreWith", 0},
    {"NormType", 0},
    // Of CUB and Thrust: what only reads, and states in their own memory, which
    // nobody reads afterwards.
    {"transform_iterator", 0},
    {"counting_iterator", 0},
    {"constant_iterator", 0},
    {"TileState", 0},
    {"Msg", 0},
    {"AccumulateType", 0},
    {"TensorSizeStride", 0},
    {"CatArrInputTensorMetadata", 0},
    // Where the rows of a jagged tensor begin, in kernels that read them.
    {"StackArray", 0},
    {"TensorListMetadata", kTold},
    {"TensorListScalarListMetadata", kTold},
    {"ReduceOp", kTold},
    {"AttentionKernel", kTold},
    {"AttentionBackwardKernel", kTold},
    {"Flash_fwd_params", kTold},
    {"Flash_bwd_params", kTold},
    // {T* data; sizes; strides}
    {"TensorInfo", kPointer},
    {"TensorAccessor", kPointer},
    {"device_ptr", kPointer},
};

size_t UnknownObject(std::string_view type) {
  const auto holds = [&](std::string_view part) {
    return type.find(part) != std::string_view::npos;
  };
  if (holds("at::native::")) return kPytorchObject;
  return holds("cub::") || holds("thrust::") ? kCubObject : kUnknown;
}

// The standard library's functions: identity, less, minimum.
bool IsStandardFunction(const NameParts& type) {
  return type.scope.starts_with("cuda::std::") && type.name != "tuple" &&
         type.name != "array";
}

// A function of numbers alone, which a kernel hands them: where they are from
// and go to is told elsewhere. One of an index finds them itself.
bool IsOfNumbers(const LambdaName& lambda) {
  return !lambda.parameters.empty() &&
         std::all_of(lambda.parameters.begin(), lambda.parameters.end(),
                     [](std::string_view type) {
                       return IsReal(ScalarTypeNamed(type));
                     });
}

size_t BytesOfObject(std::string_view type) {
  const NameParts parts = TakeApart(type);
  if (parts.name == "bernoulli_tensor_cuda_kernel") return 0;
  if (!parts.lambdas.empty()) {
    return IsOfNumbers(parts.lambdas.back()) ? 0 : UnknownObject(type);
  }
  if (IsStandardFunction(parts)) return 0;
  // "std::array<char*, 2ul>"
  if (parts.name == "array" && parts.arguments.size() == 2) {
    return NumberIn(parts.arguments[1]) * kPointer;
  }
  const bool is_read = !parts.arguments.empty() &&
                       parts.arguments[0].ends_with(" const") &&
                       parts.name.starts_with("TensorInfo");
  if (is_read) return 0;
  const auto* row = std::find_if(
      std::begin(kObjects), std::end(kObjects),
      [&](const ObjectRow& candidate) {
        return parts.name.find(candidate.name_holds) != std::string_view::npos;
      });
  return row == std::end(kObjects) ? UnknownObject(type) : row->bytes;
}

size_t BytesToSearch(std::string_view type) {
  if (type.ends_with("const*") || type.ends_with("const&")) return 0;
  if (type.ends_with('*')) return kPointer;
  return SizeOf(ScalarTypeNamed(type)) > 0 ? 0 : BytesOfObject(type);
}

NumberType PointedAt(std::string_view type) {
  type.remove_suffix(1);
  return NumberTypeOf(ScalarTypeNamed(type));
}

// What PyTorch compiles while the program runs has plain names:
// lgamma_kernel_vectorized4_kernel(int n, array<char*> tensors, ...),
// NAME_unrolled_kernel, the same, and reduction_NAME_kernel(reduction).
// The number of its parameters up to that which holds the tensors; 0: another.
size_t JitParameters(std::string_view kernel) {
  constexpr std::string_view kVectorized = "_kernel_vectorized";
  if (!kernel.ends_with("_kernel") ||
      kernel.find_first_of("(<: ") != std::string_view::npos) {
    return 0;
  }
  if (kernel.starts_with("reduction_")) return 1;
  return kernel.find(kVectorized) != std::string_view::npos ||
                 kernel.ends_with("_kernel_unrolled_kernel")
             ? 2
             : 0;
}

// What FlashAttention's backward pass does before and after its products takes
// the same parameters, of which no decoder tells.
bool IsPartOfFlashBackward(std::string_view kernel) {
  return kernel.find("flash_bwd_dot_do_o") != std::string_view::npos ||
         kernel.find("flash_bwd_convert_d") != std::string_view::npos;
}

// Of a kernel whose image alone tells the parameters: those as large as a
// pointer are one where they point to memory. Larger ones may hold anything.
std::optional<std::vector<WriteTarget>> TargetsByLayout(
    const LaunchView& launch) {
  if (launch.parameters.empty()) return std::nullopt;
  std::vector<WriteTarget> targets;
  for (size_t i = 0; i < launch.parameters.size(); ++i) {
    const size_t bytes = launch.parameters[i].bytes;
    if (bytes > kPointer) return std::nullopt;
    if (bytes < kPointer) continue;
    auto* address = ReadAt<std::byte*>(launch.arguments[i]);
    if (IsAllocated({address, 1})) {
      targets.push_back({address, 0, NumberType::kUnknown});
    }
  }
  return targets;
}

}  // namespace

WriteTargets::WriteTargets(std::string_view kernel) {
  if (const size_t jit = JitParameters(kernel); jit > 0) {
    parameters_.resize(jit, 0);
    parameters_.back() = kPytorchObject;
    return;
  }
  const bool is_part = IsPartOfFlashBackward(kernel);
  for (const std::string_view type : TakeApart(kernel).parameters) {
    size_t bytes = BytesToSearch(type);
    if (bytes == kTold && is_part) bytes = kPytorchObject;
    any_told_ |= bytes == kTold;
    any_unknown_ |= bytes == kUnknown;
    parameters_.push_back(bytes == kTold || bytes == kUnknown ? 0 : bytes);
    types_.push_back(type.ends_with('*') ? PointedAt(type)
                                         : NumberType::kUnknown);
    addresses_ += parameters_.back() / kPointer;
  }
}

std::optional<std::vector<WriteTarget>> WriteTargets::Of(
    const LaunchView& launch, bool is_told) const {
  if (parameters_.empty()) return TargetsByLayout(launch);
  if (any_unknown_ || (any_told_ && !is_told)) {
    return std::nullopt;
  }
  std::vector<WriteTarget> targets;
  targets.reserve(addresses_);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const bool is_searched = parameters_[i] >= kCubObject;
    for (size_t at = 0; at < parameters_[i]; at += kPointer) {
      auto* address = ReadAt<std::byte*>(Bytes(launch.arguments[i]) + at);
      if (is_searched && !IsAllocated({address, 1})) continue;
      targets.push_back(
          {address, 0, i < types_.size() ? types_[i] : NumberType::kUnknown});
    }
  }
  return targets;
}

}  // namespace dltap::simgpu
