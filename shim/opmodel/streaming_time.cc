// SPDX-License-Identifier: Apache-2.0
#include "shim/opmodel/streaming_time.h"

#include <algorithm>

#include "shim/opmodel/launch_floor.h"

namespace dltap::opmodel {
namespace {

// Rows of up to this many elements stay in registers: one pass (PyTorch's
// softmax_warp_forward; cuDNN's small-row kernels do the same).
constexpr double kRegisterRow = 1024;

// How a kernel goes over its rows.
struct RowPasses {
  double extra_reads;    // of the inputs, after the first
  double block_threads;  // a block owns one row
};

RowPasses PassesOf(OpKind kind, double row_elements) {
  switch (kind) {
    case OpKind::kNormForward:   // statistics, then normalise
    case OpKind::kNormBackward:  // sums, then dx
      return {.extra_reads = 1, .block_threads = 128};
    case OpKind::kSoftmaxForward:  // maximum, sum, result
      if (row_elements <= kRegisterRow) break;
      return {.extra_reads = 2,
              .block_threads = row_elements <= 2 * kRegisterRow ? 256. : 512.};
    case OpKind::kSoftmaxBackward:  // sum, result
      if (row_elements <= kRegisterRow) break;
      return {.extra_reads = 1,
              .block_threads = row_elements <= 2 * kRegisterRow ? 256. : 512.};
    default: break;
  }
  return {.extra_reads = 0, .block_threads = 128};
}

// From 0 where a working set fits to 1 where it does not; `fits` and `misses`
// are ratios of the set to the cache.
double MissShare(double set_bytes, double cache_bytes, double fits,
                 double misses) {
  if (cache_bytes <= 0) return 1;
  return std::clamp((set_bytes / cache_bytes - fits) / (misses - fits), 0., 1.);
}

// Data cache of one SM: since Volta it shares its array with shared memory.
double L1Bytes(const GpuSpec& gpu) {
  return gpu.compute_major >= 7 ? gpu.shared_bytes_per_sm : 0;
}

// Share of repeated reads that go to device memory. The thresholds are read
// off NeuSight's layer norm and softmax traces: on T4, V100 and A100 re-reads
// start to miss when the rows in flight reach 0.65 of the L1 and all miss at
// 1.45. The L2 holds the output too, so half of it serves.
double RereadMissShare(double row_bytes, double block_threads,
                       const GpuSpec& gpu) {
  const double threads_per_sm = gpu.max_warps_per_sm * 32.0;
  const double blocks_per_sm =
      std::clamp(threads_per_sm / block_threads, 1.,
                 static_cast<double>(gpu.max_blocks_per_sm));
  const double sm_set = blocks_per_sm * row_bytes;
  return MissShare(sm_set, L1Bytes(gpu), 0.65, 1.45) *
         MissShare(sm_set * gpu.sms, gpu.l2_bytes, 0.25, 0.60);
}

}  // namespace

double MemoryNs(double bytes, const GpuSpec& gpu) {
  return bytes / (gpu.bandwidth_bytes_per_s * gpu.sustained_bandwidth_ratio) *
         1e9;
}

ModelledTime StreamingTime(double bytes, const GpuSpec& gpu) {
  return WithLaunchFloor(0, MemoryNs(bytes, gpu));
}

ModelledTime RowPassTime(const Operation& op, const Cost& cost,
                         const GpuSpec& gpu) {
  const double rows = static_cast<double>(op[Dim::kRows]);
  if (rows <= 0) return StreamingTime(cost.bytes, gpu);
  const double element_bytes = BitsOf(op.storage) / 8.0;
  const double read_bytes =
      static_cast<double>(op[Dim::kElementsIn]) * element_bytes;
  const double row_elements = static_cast<double>(op[Dim::kElementsOut]) / rows;
  const RowPasses passes = PassesOf(op.kind, row_elements);
  const double reread_bytes =
      passes.extra_reads * read_bytes *
      RereadMissShare(read_bytes / rows, passes.block_threads, gpu);
  return StreamingTime(cost.bytes + reread_bytes, gpu);
}

}  // namespace dltap::opmodel
