// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_DEVICE_STATE_H_
#define DLTAP_SIMGPU_STREAM_DEVICE_STATE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "opmodel/gpu_table.h"
#include "simgpu/base/error.h"
#include "simgpu/base/handle.h"
#include "simgpu/base/visible_devices.h"

namespace dltap::simgpu {

struct Architecture;
struct Device;
struct SmSharing;
struct Stream;

// A CUcontext. Every device has one primary context; others share its memory
// and streams' timeline.
struct Context : Handle {
  static constexpr uint32_t kTag = 0x43545831;  // "CTX1"
  Context(Device* owner, bool is_primary, uint32_t context_id)
      : Handle(kTag), device(owner), primary(is_primary), id(context_id) {}
  Device* const device;
  const bool primary;
  const uint32_t id;
  std::atomic<unsigned> flags{0};
  std::array<std::atomic<uint64_t>, 8> limits{};  // 0: the default
};

// One simulated GPU. Lives for ever. Before CUDA is initialized, or where
// CUDA_VISIBLE_DEVICES hides it, it is known to NVML alone, and has no context.
struct Device {
  static constexpr int kHidden = -1;
  Device(int machine_number, const opmodel::GpuSpec& spec, uint64_t bytes);

  int ordinal = kHidden;  // as CUDA counts; set once
  const int number;       // as NVML does
  const opmodel::GpuSpec& gpu;
  const Architecture& architecture;
  const uint64_t memory_bytes;
  const DeviceUuid uuid;

  std::atomic<uint64_t> used_bytes{0};
  std::atomic<uint64_t> context_bytes{0};  // of them, the primary context's
  std::atomic<int> primary_references{0};
  std::atomic<bool> primary_active{false};
  // An Error that every later call returns; kArmed: from failure_ns on, it is
  // failure_code. Read it by StickyErrorOf().
  static constexpr int kArmed = -1;
  std::atomic<int> sticky_error{0};
  std::atomic<int> failure_code{0};
  std::atomic<int64_t> failure_ns{0};
  std::atomic<uint32_t> peers{0};  // bit per device whose memory is enabled
  Context* primary_context = nullptr;
  Stream* legacy_stream = nullptr;

  SmSharing* const sm_sharing;  // how streams share the SMs

  // Copy engines work one job at a time: when each is free again.
  std::atomic<int64_t> host_to_device_free_ns{0};
  std::atomic<int64_t> device_to_host_free_ns{0};
  // The end of work on streams that were destroyed since.
  std::atomic<int64_t> retired_tail_ns{0};
  std::atomic<uint64_t> retired_host_ticket{0};

  std::mutex streams_mutex;  // after a stream's own mutex, never before
  std::vector<Stream*> streams;
  std::atomic<int> blocking_streams{0};  // other than the legacy one
};

// The device's sticky error.
Error ArmedError(Device& device);
inline Error StickyErrorOf(Device& device) {
  const int sticky = device.sticky_error.load(std::memory_order_relaxed);
  if (sticky == Device::kArmed) [[unlikely]]
    return ArmedError(device);
  return static_cast<Error>(sticky);
}

// A kernel that ends at end_ns fails: its error shows from then on, at the next
// call or synchronisation (CUDA Runtime API, "Error Handling").
void FailAt(Device& device, int code, int64_t end_ns);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_DEVICE_STATE_H_
