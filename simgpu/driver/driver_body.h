// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_DRIVER_DRIVER_BODY_H_
#define DLTAP_SIMGPU_DRIVER_DRIVER_BODY_H_

#include "driver_bodies.h"  // generated
#include "simgpu/base/error.h"
#include "simgpu/driver/driver_header.h"
#include "simgpu/graph/graph_exec.h"
#include "simgpu/launch/kernel.h"
#include "simgpu/memory/memory_pool.h"
#include "simgpu/stream/device.h"
#include "simgpu/stream/event.h"
#include "simgpu/stream/stream.h"

namespace dltap::simgpu {

// What the bodies of driver functions are written with. Those of calls.toml are
// in libdltap_sim_bodies.a: the driver and, where its function has the same
// arguments, the runtime call them.

inline void* ToPointer(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);
}

inline CUdeviceptr ToAddress(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

template <typename Vendor, typename T>
Vendor ToHandle(T* object) {
  return reinterpret_cast<Vendor>(object);
}

// Uses the object behind a client's handle.
template <typename T, typename Use>
Error With(const void* handle, Use use,
           Error otherwise = Error::kInvalidValue) {
  T* object = FromHandle<T>(handle);
  return object == nullptr ? otherwise : use(*object);
}

template <typename Use>
Error WithDevice(int ordinal, Use use) {
  Device* device = FindDevice(ordinal);
  return device == nullptr ? Error::kInvalidDevice : use(*device);
}

// Gives a client what was asked for.
template <typename To, typename T>
Error Give(To* out, const T& value) {
  if (out == nullptr) return Error::kInvalidValue;
  *out = static_cast<To>(value);
  return Error::kSuccess;
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_DRIVER_DRIVER_BODY_H_
