// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDART_DEVICE_PROPERTIES_H_
#define DLTAP_SIMGPU_CUDART_DEVICE_PROPERTIES_H_

#include "simgpu/cudart/runtime_header.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {

// Every field, from the same numbers as cudaDeviceGetAttribute.
void FillProperties(const Device& device, cudaDeviceProp& properties);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDART_DEVICE_PROPERTIES_H_
