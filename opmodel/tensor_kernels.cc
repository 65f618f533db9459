// SPDX-License-Identifier: Apache-2.0
#include "opmodel/tensor_kernels.h"

#include <algorithm>
#include <iterator>

#include "opmodel/streaming_time.h"

namespace dltap::opmodel {
namespace {

// Fits to the shown rows of the GEMM scoreboard (scripts/score_gemm.py: BF16 on
// A100 and L40S; aiconfigurator's tables, replayed by a graph).
constexpr double kTailTiles = 0.20;
constexpr double kEdgeK = 32;
constexpr double kStepK = 64;  // operands are loaded in pieces of this much k
constexpr double kStepCycles = 350;
constexpr double kWarmShare = 0.20;            // of the L2
constexpr double kWarmActivationShare = 0.75;  // of the L2
constexpr double kWarmRatio = 2.5;  // of the bandwidth of device memory

// Kernels of sm_90 and later store a tile's 2-byte results while they compute
// the next one; 4-byte ones need the room that this takes. Fits to XLA's
// measured table for sm_90 (xla/service/gpu/model/matmul_interpolator_data.h),
// whose times hold some 2.7 us beside the kernel: its shortest product takes
// 6 us, which a graph replays in 2.4.
constexpr double kBulkTailTiles = 0.1;
constexpr double kBulkWideTailTiles = 0.5;

// The floors of A100 and L40S are fits, too. H100's shortest GEMM takes 2.4 us,
// B200's 1.8 (published floors); that of others is their neighbour's.
struct Floor {
  int least_compute;
  double ns;
};
constexpr Floor kFloors[] = {{120, 1900}, {100, 2000}, {90, 2600},
                             {89, 1900},  {86, 2500},  {80, 4000}};

double FloorNs(const GpuSpec& gpu) {
  const int compute = 10 * gpu.compute_major + gpu.compute_minor;
  return std::find_if(
             std::begin(kFloors), std::end(kFloors) - 1,
             [&](const Floor& row) { return compute >= row.least_compute; })
      ->ns;
}

// Bytes a clock and SM that convolutions bring to their tensor cores: an
// implicit GEMM computes an address for each vector that it loads. V100's fits
// DeepBench (fp16mixed). With sm_80's ResNet-50 trains at its published rates
// on an A100 80 GB (NVIDIA DeepLearningExamples: about 940 images/s in TF32,
// 2,470 in FP16), and GeForce boards are hardly limited, as the shown rows of
// whole steps have it. The L2 could give more: 25.6 on V100 and 47.4 on A100
// (2,048 and 5,120 bytes a clock by NVIDIA's white paper of A100). From sm_90
// on the tensor memory accelerator computes addresses, and from sm_100 on two
// SMs share an operand; how much that helps is assumed.
struct Gathered {
  int least_major;
  double bytes_per_clock;
};
constexpr Gathered kGathered[] = {
    {12, 15}, {10, 50}, {9, 25}, {8, 15}, {0, 12}};

double GatheredBytesPerClock(const GpuSpec& gpu) {
  return std::find_if(std::begin(kGathered), std::end(kGathered) - 1,
                      [&](const Gathered& row) {
                        return gpu.compute_major >= row.least_major;
                      })
      ->bytes_per_clock;
}

}  // namespace

bool RunsTensorKernels(const GemmShape& shape, const GpuSpec& gpu) {
  if (!shape.rate.tensor || gpu.vendor != Vendor::kNvidia) return false;
  return gpu.compute_major >= 9 ||
         (gpu.compute_major == 8 && shape.kernels == GemmKernels::kBlas);
}

TensorKernels TensorKernelsOf(const GemmShape& shape, const GpuSpec& gpu) {
  const bool wide = shape.bytes_per_element > 2;
  const bool bulk = gpu.compute_major >= 9;
  TensorKernels kernels{.floor_ns = FloorNs(gpu),
                        .tail_tiles = kTailTiles,
                        .edge_k = kEdgeK,
                        .step_ns = kStepCycles / gpu.boost_mhz * 1e3 / kStepK};
  if (bulk) {
    kernels.tail_tiles = wide ? kBulkWideTailTiles : kBulkTailTiles;
  }
  return kernels;
}

double TensorMemoryNs(const GemmShape& shape, double bytes,
                      const GpuSpec& gpu) {
  const double activations =
      shape.batch * (shape.k + shape.m) * shape.n * shape.bytes_per_element;
  double warm = 0;
  if (activations < kWarmActivationShare * gpu.l2_bytes) warm = activations;
  if (bytes < kWarmShare * gpu.l2_bytes) warm = bytes;
  return MemoryNs(bytes - warm + warm / kWarmRatio, gpu);
}

double GatherNs(const GemmShape& shape, double elements, const GpuSpec& gpu) {
  if (!shape.rate.tensor || gpu.vendor != Vendor::kNvidia ||
      !IsImplicit(shape)) {
    return 0;
  }
  return elements * shape.bytes_per_element /
         (GatheredBytesPerClock(gpu) * gpu.boost_mhz) * 1e3;
}

}  // namespace dltap::opmodel
