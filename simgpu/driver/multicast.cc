// SPDX-License-Identifier: Apache-2.0
// Multicast objects: CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED is 0, and these
// functions are documented to say so then.
#include "simgpu/driver/driver_call.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName>
CUresult Unsupported() {
  return Driver<kName>(DriverNeeds::kInit, [] { return Error::kNotSupported; });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuMulticastCreate(CUmemGenericAllocationHandle*,
                           const CUmulticastObjectProp*) {
  return Unsupported<"cuMulticastCreate">();
}

CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle, CUdevice) {
  return Unsupported<"cuMulticastAddDevice">();
}

CUresult cuMulticastBindMem(CUmemGenericAllocationHandle, size_t,
                            CUmemGenericAllocationHandle, size_t, size_t,
                            unsigned long long) {
  return Unsupported<"cuMulticastBindMem">();
}

CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle, size_t, CUdeviceptr,
                             size_t, unsigned long long) {
  return Unsupported<"cuMulticastBindAddr">();
}

CUresult cuMulticastUnbind(CUmemGenericAllocationHandle, CUdevice, size_t,
                           size_t) {
  return Unsupported<"cuMulticastUnbind">();
}

CUresult cuMulticastGetGranularity(size_t*, const CUmulticastObjectProp*,
                                   CUmulticastGranularity_flags) {
  return Unsupported<"cuMulticastGetGranularity">();
}
