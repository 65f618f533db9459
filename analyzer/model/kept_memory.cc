// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/kept_memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace dltap::analyzer {
namespace {

constexpr size_t kLargePage = size_t{2} << 20;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kHasOwnHeap = true;  // which would touch what lies ahead
#else
constexpr bool kHasOwnHeap = false;
#endif

// Address space, of which only what is touched becomes memory. Where a system
// promises no more than it has, a small part of that.
size_t BytesAhead() {
  constexpr size_t kMost = size_t{512} << 20;  // no slice takes more
  constexpr size_t kPart = 8;
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  rlimit allowed;
  if (pages <= 0 || page_bytes <= 0 || getrlimit(RLIMIT_AS, &allowed) != 0) {
    return 0;
  }
  const size_t there =
      static_cast<size_t>(pages) * static_cast<size_t>(page_bytes);
  return std::min(kMost, std::min<size_t>(there, allowed.rlim_cur) / kPart);
}

// The processor finds 512 times as much memory by as many addresses. The heap
// grows upwards from where it ends: what lies ahead is taken, marked, and given
// back untouched.
void GrowInLargePages() {
  const size_t bytes = BytesAhead();
  void* const ahead = kHasOwnHeap ? nullptr : std::malloc(bytes);
  if (ahead == nullptr) return;
  const auto begin = reinterpret_cast<uintptr_t>(ahead);
  const uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
  const uintptr_t end = (begin + bytes) / kLargePage * kLargePage;
  if (first < end) {
    madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
  }
  std::free(ahead);
}

}  // namespace

void KeepFreedMemory() {
  constexpr int kNever = -1;
  constexpr int kAtOnce = 8 << 20;
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, kNever);
  mallopt(M_TOP_PAD, kAtOnce);
}

void KeepFreedMemoryInLargePages() {
  static const bool grows = [] {
    KeepFreedMemory();
    GrowInLargePages();
    return true;
  }();
  static_cast<void>(grows);
}

}  // namespace dltap::analyzer
