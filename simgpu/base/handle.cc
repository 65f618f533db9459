// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/handle.h"

#include <sys/mman.h>

namespace dltap::simgpu {
namespace {

constexpr size_t kRegionBytes = size_t{256} << 20;

}  // namespace

void* NewHandleMemory(size_t bytes, size_t alignment) {
  static std::mutex mutex;
  static uintptr_t next = 0;
  static uintptr_t end = 0;
  const std::lock_guard lock(mutex);
  next = (next + alignment - 1) & ~(alignment - 1);
  if (next + bytes > end) {
    void* region = mmap(nullptr, kRegionBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED) {
      return ::operator new(bytes, std::align_val_t(alignment));
    }
    next = reinterpret_cast<uintptr_t>(region);
    end = next + kRegionBytes;
  }
  void* memory = reinterpret_cast<void*>(next);
  next += bytes;
  return memory;
}

}  // namespace dltap::simgpu
