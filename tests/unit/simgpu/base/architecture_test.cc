// SPDX-License-Identifier: Apache-2.0
// The table against the programming guide's "Technical Specifications per
// Compute Capability", written down a second time.
#include "simgpu/base/architecture.h"

#include <gtest/gtest.h>

namespace dltap::simgpu {
namespace {

struct Row {
  int major;
  int minor;
  int shared_kib_per_sm;
  int shared_kib_per_block;
  int warps_per_sm;
  int blocks_per_sm;
  int resident_grids;
};

constexpr Row kGuide[] = {
    {6, 0, 64, 48, 64, 32, 128},    {6, 1, 96, 48, 64, 32, 32},
    {6, 2, 64, 48, 64, 32, 16},     {7, 0, 96, 96, 64, 32, 128},
    {7, 5, 64, 64, 32, 16, 128},    {8, 0, 164, 163, 64, 32, 128},
    {8, 6, 100, 99, 48, 16, 128},   {8, 7, 164, 163, 48, 16, 128},
    {8, 9, 100, 99, 48, 24, 128},   {9, 0, 228, 227, 64, 32, 128},
    {10, 0, 228, 227, 64, 32, 128}, {12, 0, 100, 99, 48, 24, 128},
};

TEST(Architecture, AgreesWithTheGuide) {
  for (const Row& row : kGuide) {
    SCOPED_TRACE(row.major * 10 + row.minor);
    opmodel::GpuSpec gpu{};
    gpu.compute_major = row.major;
    gpu.compute_minor = row.minor;
    const Architecture& limits = ArchitectureOf(gpu);
    EXPECT_EQ(row.shared_kib_per_sm * 1024, limits.shared_bytes_per_sm);
    EXPECT_EQ(row.shared_kib_per_block * 1024,
              limits.shared_bytes_per_block_optin);
    EXPECT_EQ(row.warps_per_sm * 32, limits.max_threads_per_sm);
    EXPECT_EQ(row.blocks_per_sm, limits.max_blocks_per_sm);
    EXPECT_EQ(row.resident_grids, limits.max_resident_grids);
  }
}

int CodeOn(int major, int minor, int oldest) {
  opmodel::GpuSpec gpu{};
  gpu.compute_major = major;
  gpu.compute_minor = minor;
  return CodeVersion(gpu, oldest);
}

TEST(CodeVersion, IsOneThatProgramsAreBuiltFor) {
  EXPECT_EQ(80, CodeOn(8, 0, 75));
  EXPECT_EQ(86, CodeOn(8, 9, 75));
  EXPECT_EQ(90, CodeOn(9, 0, 75));
  EXPECT_EQ(60, CodeOn(6, 1, 50));
}

TEST(CodeVersion, OldestStandsInOnGpusThatCudaHasGivenUp) {
  EXPECT_EQ(75, CodeOn(7, 0, 75));
  EXPECT_EQ(75, CodeOn(6, 1, 75));
  EXPECT_EQ(50, CodeOn(3, 5, 50));
}

TEST(Architecture, NewerCapabilitiesTakeTheLastRow) {
  opmodel::GpuSpec gpu{};
  gpu.compute_major = 12;
  gpu.compute_minor = 1;
  EXPECT_EQ(120, ArchitectureOf(gpu).compute);
}

}  // namespace
}  // namespace dltap::simgpu
