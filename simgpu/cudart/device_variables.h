// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDART_DEVICE_VARIABLES_H_
#define DLTAP_SIMGPU_CUDART_DEVICE_VARIABLES_H_

#include <cstddef>

#include "simgpu/base/error.h"

namespace dltap::simgpu {

struct Device;

// __device__, __constant__ and __managed__ variables, by the address of their
// host shadow. Device memory for one is made when its address is first asked
// for (each device has its own) and is zero.
void RegisterVariable(const void* host_shadow, size_t bytes);
void ForgetVariable(const void* host_shadow);

struct VariablePlace {
  void* address;
  size_t bytes;
};

// kInvalidSymbol when nothing is registered under the address.
Error FindVariable(Device& device, const void* host_shadow,
                   VariablePlace* place);

// The one copy of a managed variable, which host and devices share.
void* ManagedAddressOf(const void* host_shadow);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDART_DEVICE_VARIABLES_H_
