// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_OPERANDS_H_
#define DLTAP_SIMGPU_TORCH_OPERANDS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "simgpu/bytes/written_memory.h"
#include "simgpu/torch/scalar_type.h"

namespace dltap::simgpu {

// PyTorch's OffsetCalculator<operands, unsigned int>: how the elements of some
// tensors of one shape lie in memory. Offsets are bytes, the first dimension
// is the fastest.
struct Offsets {
  static constexpr size_t kMaxDimensions = 25;
  static constexpr size_t kMaxOperands = 8;

  struct Dimension {
    uint32_t size;
    std::array<uint32_t, kMaxOperands> strides;
  };
  std::vector<Dimension> dimensions;

  std::array<uint32_t, kMaxOperands> At(uint32_t index) const {
    std::array<uint32_t, kMaxOperands> offsets{};
    for (const Dimension& dimension : dimensions) {
      const uint32_t position = index % dimension.size;
      index /= dimension.size;
      for (size_t i = 0; i < kMaxOperands; ++i) {
        offsets[i] += position * dimension.strides[i];
      }
    }
    return offsets;
  }

  int64_t elements() const;
  // Those of an operand in memory: one that is broadcast has fewer.
  int64_t ElementsOf(size_t operand) const;
  // Bytes from the first to behind the last element of an operand.
  size_t Extent(size_t operand, size_t element_bytes) const;
  // Of the memory's sectors that warps touch, each as often as a warp does.
  double SectorBytes(size_t operand, size_t element_bytes) const;
};

// Reads the object at `from`; nullopt: that cannot be one.
std::optional<Offsets> ReadOffsets(const std::byte* from, size_t operands);

// sizeof(OffsetCalculator<operands, unsigned int>), aligned to 4.
constexpr size_t OffsetsBytes(size_t operands) {
  constexpr size_t kDividerBytes = 12;
  return 4 + Offsets::kMaxDimensions *
                 (kDividerBytes + 4 * (operands == 0 ? 1 : operands));
}

// A tensor of a call: where it begins and how far it reaches, and what its
// numbers are, as far as the call is sure of it. Without bytes: a counter, or
// an empty tensor.
struct Range {
  std::byte* data = nullptr;
  size_t bytes = 0;
  ScalarType type = ScalarType::kUnknown;
};

// True when a device may use all of these bytes.
bool IsAllocated(const Range& range);

// What a kernel that could be computed here makes of its memory. `inputs` and
// `output` must be allocated. Small results are always computed: inputs that
// are stale count as zeroes (they become zeroes), and the result is assumed.
// Large ones are computed only from fresh inputs, so that a training run costs
// no time on numbers that were never computed: of integers always, of real
// numbers if no kernel that does not compute has run since they were written.
// Where stale bytes read as plausible numbers all of kMaxElements are computed,
// from no input of more than kMostPlausibleBytes: what follows from them is
// then plausible, too (a softmax, a sorted tensor).
struct Permission {
  bool compute = false;
  Freshness result = Freshness::kStale;
  // Of the first input: what is only moved has it, too.
  NumberType moved = NumberType::kUnknown;
};
constexpr int64_t kMaxElements = 1 << 18;
constexpr int64_t kMaxSmallElements = 1 << 10;
Permission MayCompute(int64_t elements, const std::vector<Range>& inputs,
                      const Range& output,
                      ScalarType type = ScalarType::kUnknown);

// After the computation: what the output's bytes are now. Real numbers that
// were computed from assumed ones and are none, or infinite, become zero.
// Integers of a result that was too large to be computed become zero: they may
// be an index, and zero is in range.
void MarkOutput(const Range& output, bool dense, const Permission& permission,
                ScalarType type = ScalarType::kUnknown);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_OPERANDS_H_
