// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/memory/mapped_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace dltap::simgpu {
namespace {

constexpr uintptr_t kPageBytes = 4096;

}  // namespace

bool ArePagesMapped(const void* address, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  const uintptr_t first_page = begin / kPageBytes * kPageBytes;
  // Asynchronous: looks at the mappings and does nothing more.
  return msync(reinterpret_cast<void*>(first_page), begin + bytes - first_page,
               MS_ASYNC) == 0;
}

}  // namespace dltap::simgpu
