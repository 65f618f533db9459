// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_SEMANTICS_H_
#define DLTAP_SIMGPU_TORCH_SEMANTICS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace dltap::simgpu {

// What a launch does to memory, to be done at its turn in the stream and again
// at each replay of a graph. Empty: nothing is known of what it writes.
using Effect = std::function<void()>;

// A launch's arguments as cudaLaunchKernel gets them.
struct Arguments {
  void* const* pointers;
  int64_t blocks;  // of the grid
};

// Makes the effect of one launch from the kernel's arguments, which live only
// until it returns. They are believed for what the kernel's name says; what
// cannot be (an impossible shape, a pointer to nowhere) is not computed.
using Decoder = std::function<Effect(const Arguments&)>;

// All that is known of a kernel.
struct KernelSemantics {
  explicit KernelSemantics(Decoder known) : decoder(std::move(known)) {}

  const Decoder decoder;  // empty: nothing, but for the next
  // Which parameters point to what it may write; asked for when it matters.
  mutable std::once_flag asked_for_outputs;
  mutable std::vector<size_t> outputs;
};

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

#endif  // DLTAP_SIMGPU_TORCH_SEMANTICS_H_
