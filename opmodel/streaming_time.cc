// SPDX-License-Identifier: Apache-2.0
#include "opmodel/streaming_time.h"

#include <algorithm>
#include <cmath>

#include "opmodel/modelled_time.h"

namespace dltap::opmodel {
namespace {

// Rows of up to this many elements stay in registers: one pass (PyTorch's
// softmax_warp_forward; cuDNN's small-row kernels do the same).
constexpr double kRegisterRow = 1024;

// Bytes that the L2 gives an SM in a clock, sector by sector. Fitted to strided
// copies in the shown rows of the scoreboard of whole steps (RTX 3090);
// published measurements lie around it: V100 18, T4 20 (Jia et al. 2018 and
// 2019), H100 24.
constexpr double kL2BytesPerClock = 23;

// How a kernel goes over its rows.
struct RowPasses {
  double extra_reads;    // of the inputs, after the first
  double block_threads;  // a block owns one row
};

bool IsSoftmax(OpKind kind) {
  return kind == OpKind::kSoftmaxForward || kind == OpKind::kSoftmaxBackward;
}

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

// Ratios of the rows in flight on an SM to its L1, up to which repeated reads
// hit and from which on they all miss.
struct Thresholds {
  double fits;
  double misses;
};

// Read off NeuSight's traces: layer norm on V100 and T4 misses from half of the
// L1 on and always where it is full, on A100 much later; softmax is alike on
// all three.
Thresholds L1Thresholds(OpKind kind, const GpuSpec& gpu) {
  if (IsSoftmax(kind)) return {.fits = 0.65, .misses = 1.45};
  return gpu.compute_major >= 8 ? Thresholds{.fits = 0.85, .misses = 1.45}
                                : Thresholds{.fits = 0.45, .misses = 1.05};
}

double ResidentBlocks(double block_threads, const GpuSpec& gpu) {
  return std::clamp(gpu.max_warps_per_sm * 32.0 / block_threads, 1.,
                    static_cast<double>(gpu.max_blocks_per_sm));
}

// Share of repeated reads that go to device memory. The L2 holds the output
// too, so half of it serves.
double RereadMissShare(OpKind kind, double row_bytes, double block_threads,
                       const GpuSpec& gpu) {
  const double sm_set = ResidentBlocks(block_threads, gpu) * row_bytes;
  const Thresholds l1 = L1Thresholds(kind, gpu);
  return MissShare(sm_set, L1Bytes(gpu), l1.fits, l1.misses) *
         MissShare(sm_set * gpu.sms, gpu.l2_bytes, 0.25, 0.60);
}

// PyTorch's block softmax walks a row in 16-byte vectors as far as they come in
// whole blocks of threads and the rest element by element. However fast the
// memory, a block waits for its three passes and two reductions: so many cycles
// in all, and so many per step along the row. Fits to V100's and A100's rows
// that are no multiple of the vectors of a block (NeuSight), which run at 0.7
// of the bandwidth.
constexpr double kSoftmaxBlockCycles = 8500;
constexpr double kSoftmaxStepCycles = 2300;

double SoftmaxWaitNs(const Operation& op, double row_elements,
                     double block_threads, const GpuSpec& gpu) {
  const double vector_elements = 128.0 / std::max(1, BitsOf(op.storage));
  const double vectors =
      std::floor(row_elements / (block_threads * vector_elements));
  const double rest =
      std::ceil(row_elements / block_threads - vectors * vector_elements);
  const double block_cycles =
      kSoftmaxBlockCycles + kSoftmaxStepCycles * (vectors + rest);
  const double blocks_at_once = gpu.sms * ResidentBlocks(block_threads, gpu);
  return static_cast<double>(op[Dim::kRows]) / blocks_at_once * block_cycles /
         gpu.boost_mhz * 1e3;
}

// PyTorch's layer norm gives a block of four warps to each row, however short
// the row is: two passes and two reductions. The cycles are a fit to ConvNeXts
// of 40 to 80 channels in the shown rows of the scoreboard of whole steps (RTX
// 3090, half precision).
constexpr double kNormBlockCycles = 3000;

double NormWaitNs(double rows, double block_threads, const GpuSpec& gpu) {
  return rows / (gpu.sms * ResidentBlocks(block_threads, gpu)) *
         kNormBlockCycles / gpu.boost_mhz * 1e3;
}

}  // namespace

double MemoryNs(double bytes, const GpuSpec& gpu) {
  return bytes / (gpu.bandwidth_bytes_per_s * gpu.sustained_bandwidth_ratio) *
         1e9;
}

double L2BytesPerS(const GpuSpec& gpu) {
  return std::max(kL2BytesPerClock * gpu.sms * gpu.boost_mhz * 1e6,
                  gpu.bandwidth_bytes_per_s);
}

ModelledTime StreamingTime(double bytes, const GpuSpec& gpu) {
  return WithLaunchFloor(0, MemoryNs(bytes, gpu));
}

ModelledTime ScatteredTime(double bytes, double sector_bytes,
                           const GpuSpec& gpu) {
  return WithLaunchFloor(
      0, std::max(MemoryNs(bytes, gpu), sector_bytes / L2BytesPerS(gpu) * 1e9));
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
      RereadMissShare(op.kind, read_bytes / rows, passes.block_threads, gpu);
  const bool block_softmax =
      op.kind == OpKind::kSoftmaxForward && row_elements > kRegisterRow;
  double wait_ns = 0;
  if (gpu.vendor == Vendor::kNvidia) {
    if (block_softmax) {
      wait_ns = SoftmaxWaitNs(op, row_elements, passes.block_threads, gpu);
    } else if (!IsSoftmax(op.kind)) {
      wait_ns = NormWaitNs(rows, passes.block_threads, gpu);
    }
  }
  ModelledTime time = StreamingTime(cost.bytes + reread_bytes, gpu);
  if (wait_ns + kEmptyKernelNs > time.ns) {
    time = {.ns = wait_ns + kEmptyKernelNs, .bound = Bound::kLatency};
  }
  return time;
}

}  // namespace dltap::opmodel
