// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/kept_memory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace dltap::analyzer {
namespace {

constexpr size_t kPageBytes = 4096;

// Of the whole process.
size_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  size_t pages = 0;
  statm >> pages >> pages;
  return pages * kPageBytes;
}

TEST(KeptMemoryTest, WhatLiesAheadOfTheHeapIsNotTouched) {
  constexpr size_t kLittle = size_t{16} << 20;
  const size_t before = ResidentBytes();
  KeepFreedMemoryInLargePages();
  KeepFreedMemoryInLargePages();
  EXPECT_LT(ResidentBytes(), before + kLittle);
}

TEST(KeptMemoryTest, ArraysLieInTheHeapAndStayWhenTheyAreFreed) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer has a heap of its own";
#endif
  constexpr size_t kBytes = size_t{64} << 20;
  KeepFreedMemory();
  const size_t before = ResidentBytes();
  { const std::vector<char> array(kBytes, 1); }
  EXPECT_GE(ResidentBytes(), before + kBytes);
}

}  // namespace
}  // namespace dltap::analyzer
