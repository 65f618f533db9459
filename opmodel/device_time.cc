// SPDX-License-Identifier: Apache-2.0
#include "opmodel/device_time.h"

#include <algorithm>
#include <cmath>

#include "opmodel/alternatives.h"
#include "opmodel/modelled_time.h"
#include "opmodel/streaming_time.h"

namespace dltap::opmodel {
namespace {

// Bytes a thread of an elementwise kernel moves when nothing is known: four
// floats read and four written (PyTorch's vectorised kernels).
constexpr double kDefaultBytesPerThread = 32;
// Start-up of one thread block: launch by the work distributor, prologue.
constexpr double kBlockNs = 300;

// Copies: share of the raw link rate after packet headers, and fixed costs.
// bandwidthTest on PCIe 3.0 x16 shows 12 to 13 of 15.75 GB/s pinned; pageable
// copies go through a staging buffer at the rate of one core's memcpy.
constexpr double kLinkEfficiency = 0.8;
constexpr double kPageableRatio = 0.45;
constexpr double kHostCopyNs = 1200;      // DMA set-up of a pinned copy
constexpr double kPageableCopyNs = 5000;  // staging and its synchronisation
constexpr double kMemsetRatio = 0.95;     // of the sustained bandwidth

double ResidentBlocksPerSm(const KernelLaunch& launch, const GpuSpec& gpu) {
  const double warps = std::ceil(launch.threads_per_block / 32.0);
  double resident = std::min<double>(gpu.max_blocks_per_sm,
                                     std::floor(gpu.max_warps_per_sm / warps));
  if (launch.registers_per_thread > 0) {
    const double registers = launch.registers_per_thread * 32.0 * warps;
    resident = std::min(resident, std::floor(gpu.registers_per_sm / registers));
  }
  if (launch.shared_bytes > 0) {
    resident = std::min(
        resident, std::floor(static_cast<double>(gpu.shared_bytes_per_sm) /
                             static_cast<double>(launch.shared_bytes)));
  }
  return std::max(1.0, resident);
}

ModelledTime LinkCopy(double bytes, double bytes_per_s, double fixed_ns) {
  const double link_ns = bytes / bytes_per_s * 1e9;
  return {.ns = fixed_ns + link_ns,
          .bound = link_ns < fixed_ns ? Bound::kLatency : Bound::kMemory};
}

}  // namespace

std::optional<ModelledTime> TimeOf(const Operation& op, const GpuSpec& gpu) {
  const std::vector<Alternative> alternatives = AlternativesOf(op, gpu);
  if (alternatives.empty()) return std::nullopt;
  return ModelledTime{.ns = alternatives.front().ns,
                      .bound = alternatives.front().bound};
}

ModelledTime TimeOf(const KernelLaunch& launch, const GpuSpec& gpu) {
  const double blocks = std::max<double>(1, launch.blocks);
  const double threads = std::max(1, launch.threads_per_block);
  const double bytes_per_thread = launch.bytes_per_thread > 0
                                      ? launch.bytes_per_thread
                                      : kDefaultBytesPerThread;
  const double waves =
      std::ceil(blocks / (gpu.sms * ResidentBlocksPerSm(launch, gpu)));
  const ModelledTime streaming =
      StreamingTime(blocks * threads * bytes_per_thread, gpu);
  const double latency_ns = kEmptyKernelNs + waves * kBlockNs;
  if (latency_ns <= streaming.ns) return streaming;
  return {.ns = latency_ns, .bound = Bound::kLatency};
}

ModelledTime TimeOfCopy(CopyPath path, double bytes, const GpuSpec& gpu) {
  const double pcie = gpu.pcie_bytes_per_s * kLinkEfficiency;
  const double memory =
      gpu.bandwidth_bytes_per_s * gpu.sustained_bandwidth_ratio;
  switch (path) {
    case CopyPath::kHostToDevicePinned:
    case CopyPath::kDeviceToHostPinned:
      return LinkCopy(bytes, pcie, kHostCopyNs);
    case CopyPath::kHostToDevicePageable:
    case CopyPath::kDeviceToHostPageable:
      return LinkCopy(bytes, pcie * kPageableRatio, kPageableCopyNs);
    case CopyPath::kDeviceToDevice: return StreamingTime(2 * bytes, gpu);
    case CopyPath::kPeer:
      return LinkCopy(bytes,
                      gpu.nvlink_bytes_per_s > 0
                          ? gpu.nvlink_bytes_per_s * kLinkEfficiency
                          : pcie,
                      2 * kHostCopyNs);
    case CopyPath::kMemset:
      return LinkCopy(bytes, memory * kMemsetRatio, kEmptyKernelNs);
  }
  return {.ns = 0, .bound = Bound::kLatency};
}

}  // namespace dltap::opmodel
