// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/mapped_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace dltap::simgpu {
namespace {

constexpr uintptr_t kPageBytes = 4096;
constexpr uintptr_t kPagesAtOnce = 1024;

}  // namespace

bool ArePagesMapped(const void* address, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  const uintptr_t end = begin + bytes;
  // What is resident does not matter; only that the question has an answer.
  unsigned char resident[kPagesAtOnce];
  uintptr_t at = begin / kPageBytes * kPageBytes;
  while (at < end) {
    const uintptr_t length = std::min(end - at, kPagesAtOnce * kPageBytes);
    const int program_errno = errno;
    if (mincore(reinterpret_cast<void*>(at), length, resident) != 0) {
      errno = program_errno;
      return false;
    }
    at += length;
  }
  return true;
}

size_t RoundToPages(size_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

void* MapPages(size_t bytes) {
  void* pages = mmap(nullptr, RoundToPages(bytes), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

void UnmapPages(void* address, size_t bytes) {
  munmap(address, RoundToPages(bytes));
}

}  // namespace dltap::simgpu
