// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_DEVICE_LISTENER_H_
#define DLTAP_SIMGPU_STREAM_DEVICE_LISTENER_H_

namespace dltap::simgpu {

struct Device;

// What the room above does at turns of a device's life. It defines the one
// listener (memory/memory_pool.cc), a constant: so it is there before any
// initialiser has run, as programs may call from theirs.
struct DeviceListener {
  void (*made)(Device& device);
  void (*synchronized)(Device& device);  // all its work is over
};
extern const DeviceListener kDeviceListener;

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_DEVICE_LISTENER_H_
