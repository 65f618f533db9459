// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/mapped_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>

namespace dltap::simgpu {
namespace {

constexpr size_t kPageBytes = 4096;

TEST(MappedPagesTest, SeesTheEndOfAMappingAndLeavesErrnoAlone) {
  constexpr size_t kPages = 3000;  // of which one call sees a part
  auto* pages = static_cast<std::byte*>(
      mmap(nullptr, (kPages + 1) * kPageBytes, PROT_READ,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(0, munmap(pages + kPages * kPageBytes, kPageBytes));
  errno = EDOM;
  EXPECT_TRUE(ArePagesMapped(pages, kPages * kPageBytes));
  EXPECT_TRUE(ArePagesMapped(pages + 5, 7));
  EXPECT_FALSE(ArePagesMapped(pages, kPages * kPageBytes + 1));
  EXPECT_FALSE(ArePagesMapped(pages + kPages * kPageBytes - 1, 2));
  EXPECT_EQ(EDOM, errno);
  munmap(pages, kPages * kPageBytes);
}

}  // namespace
}  // namespace dltap::simgpu
