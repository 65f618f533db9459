// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_DECODED_LAUNCH_H_
#define DLTAP_SIMGPU_TORCH_DECODED_LAUNCH_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "opmodel/operation.h"
#include "simgpu/bytes/written_memory.h"
#include "simgpu/launch/kernel_meaning.h"
#include "simgpu/torch/operands.h"
#include "simgpu/torch/scalar_type.h"

namespace dltap::simgpu {

// An array whose elements a launch reads, writes, or both.
struct Operand {
  enum Access : uint8_t { kRead = 1, kWrite = 2, kReadWrite = 3 };

  // From the first element to behind the last one; null: not known where.
  Range range{};
  int64_t elements = 0;  // that the launch moves; a broadcast one counts once
  size_t element_bytes = 0;
  ScalarType type = ScalarType::kUnknown;
  Access access = kRead;

  // `data`: null: not known where.
  static Operand Dense(std::byte* data, int64_t elements, ScalarType type,
                       Access access) {
    const auto count = static_cast<size_t>(std::max<int64_t>(elements, 0));
    return {{data, count * SizeOf(type), type},
            elements,
            SizeOf(type),
            type,
            access};
  }
};

// What one launch works on. Its time and its effect on memory both follow from
// this. As it is here: nothing is known.
struct DecodedLaunch {
  static constexpr size_t kMaxOperands = Offsets::kMaxOperands;

  void Add(const Operand& operand) {
    if (operand_count < kMaxOperands) all_operands[operand_count++] = operand;
  }
  std::span<const Operand> operands() const {
    return {all_operands.data(), operand_count};
  }

  std::array<Operand, kMaxOperands> all_operands{};
  size_t operand_count = 0;
  // Where the launch is one that opmodel knows, and by how much this kernel is
  // slower than the model's.
  std::optional<opmodel::Operation> operation;
  double slowdown = 1;
  // What its strides make it touch of the L2's sectors; 0: no more than it
  // moves.
  double sector_bytes = 0;
  Effect effect;  // empty: what it writes is not known,
  // but where, as far as pointers among its arguments do not tell it.
  std::optional<std::vector<WriteTarget>> may_write;
};

// Reads the launches of one kernel; made once, of the kernel's name. Arguments
// are believed for what the name says; those that cannot be (an impossible
// shape, a pointer to nowhere) are not computed with.
using Decoder = std::function<DecodedLaunch(const LaunchView&)>;

// Decodes by what the name tells of a kernel.
template <typename Kernel>
Decoder DecodeBy(DecodedLaunch (*decode)(const Kernel&, const LaunchView&),
                 Kernel kernel) {
  return [decode, kernel = std::move(kernel)](const LaunchView& launch) {
    return decode(kernel, launch);
  };
}

// Calls Run(call), a function beside the type.
template <typename Call>
Effect EffectOf(Call call) {
  return [shared = std::make_shared<const Call>(std::move(call))] {
    Run(*shared);
  };
}

// All that is known of a launch.
inline DecodedLaunch WithEffect(Effect effect) {
  DecodedLaunch launch;
  launch.effect = std::move(effect);
  return launch;
}

// The argument, or the member of one, at an address.
template <typename T>
T ReadAt(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

inline const std::byte* Bytes(const void* argument) {
  return static_cast<const std::byte*>(argument);
}

constexpr size_t AlignUp(size_t offset, size_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_DECODED_LAUNCH_H_
