// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/architecture.h"

#include <algorithm>

namespace dltap::simgpu {
namespace {

constexpr int kKiB = 1024;

// By rising capability.
constexpr Architecture kArchitectures[] = {
    {60, 64 * kKiB, 48 * kKiB, 0, 2048, 32, 2, 128},
    {61, 96 * kKiB, 48 * kKiB, 0, 2048, 32, 2, 32},
    {62, 64 * kKiB, 48 * kKiB, 0, 2048, 32, 1, 16},
    {70, 96 * kKiB, 96 * kKiB, 0, 2048, 32, 6, 128},
    {72, 96 * kKiB, 96 * kKiB, 0, 2048, 32, 1, 16},
    {75, 64 * kKiB, 64 * kKiB, 0, 1024, 16, 3, 128},
    {80, 164 * kKiB, 163 * kKiB, 1 * kKiB, 2048, 32, 3, 128},
    {86, 100 * kKiB, 99 * kKiB, 1 * kKiB, 1536, 16, 2, 128},
    {87, 164 * kKiB, 163 * kKiB, 1 * kKiB, 1536, 16, 2, 128},
    {89, 100 * kKiB, 99 * kKiB, 1 * kKiB, 1536, 24, 2, 128},
    {90, 228 * kKiB, 227 * kKiB, 1 * kKiB, 2048, 32, 3, 128},
    {100, 228 * kKiB, 227 * kKiB, 1 * kKiB, 2048, 32, 4, 128},
    {103, 228 * kKiB, 227 * kKiB, 1 * kKiB, 2048, 32, 4, 128},
    {110, 228 * kKiB, 227 * kKiB, 1 * kKiB, 1536, 24, 2, 128},
    {120, 100 * kKiB, 99 * kKiB, 1 * kKiB, 1536, 24, 2, 128},
};

}  // namespace

const Architecture& ArchitectureOf(const opmodel::GpuSpec& gpu) {
  const int compute = gpu.compute_major * 10 + gpu.compute_minor;
  const Architecture* best = &kArchitectures[0];
  for (const Architecture& row : kArchitectures) {
    if (row.compute <= compute) best = &row;
  }
  return *best;
}

int CodeVersion(const opmodel::GpuSpec& gpu, int oldest) {
  constexpr int kBuiltFor[] = {120, 100, 90, 86, 80, 75, 70, 60, 50};
  const int compute = gpu.compute_major * 10 + gpu.compute_minor;
  for (const int version : kBuiltFor) {
    if (version <= compute) return std::max(version, oldest);
  }
  return oldest;
}

}  // namespace dltap::simgpu
