// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_DEVICE_TIME_H_
#define DLTAP_OPMODEL_DEVICE_TIME_H_

#include <cstdint>
#include <optional>

#include "opmodel/gpu_table.h"
#include "opmodel/modelled_time.h"
#include "opmodel/operation.h"

namespace dltap::opmodel {

// Device time of one library operation; nullopt when its shape is unknown.
std::optional<ModelledTime> TimeOf(const Operation& op, const GpuSpec& gpu);

// A kernel with nothing known but its launch (a framework's own kernels).
struct KernelLaunch {
  int64_t blocks;
  int threads_per_block;
  int registers_per_thread;  // 0: unknown
  int64_t shared_bytes;      // static + dynamic, per block
  double bytes_per_thread;   // 0: unknown, a default vector width is assumed
};
ModelledTime TimeOf(const KernelLaunch& launch, const GpuSpec& gpu);

enum class CopyPath : uint8_t {
  kHostToDevicePinned,
  kHostToDevicePageable,
  kDeviceToHostPinned,
  kDeviceToHostPageable,
  kDeviceToDevice,
  kPeer,
  kMemset,
};
ModelledTime TimeOfCopy(CopyPath path, double bytes, const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_DEVICE_TIME_H_
