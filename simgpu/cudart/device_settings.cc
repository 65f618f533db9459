// SPDX-License-Identifier: Apache-2.0
// Limits, flags and preferences: kept and given back, without further effect.
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/stream/context_limits.h"

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return Runtime<"cudaDeviceSetLimit">(Needs::kContext, [&] {
    return SetContextLimit(*ActiveDevice().primary_context, limit, value);
  });
}

cudaError_t cudaDeviceGetLimit(size_t* pValue, cudaLimit limit) {
  return Runtime<"cudaDeviceGetLimit">(Needs::kContext, [&] {
    return GetContextLimit(*ActiveDevice().primary_context, limit, pValue);
  });
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  return Runtime<"cudaSetDeviceFlags">(Needs::kDriver, [&] {
    if ((flags & ~unsigned{cudaDeviceMask}) != 0) return Error::kInvalidValue;
    CurrentDeviceState().primary_context->flags.store(flags);
    return Error::kSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  return Runtime<"cudaGetDeviceFlags">(Needs::kDriver, [&] {
    if (flags == nullptr) return Error::kInvalidValue;
    *flags = CurrentDeviceState().primary_context->flags.load();
    return Error::kSuccess;
  });
}

// All simulated devices are alike: the first one fits best.
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* prop) {
  return Runtime<"cudaChooseDevice">(Needs::kDriver, [&] {
    if (device == nullptr || prop == nullptr) return Error::kInvalidValue;
    *device = 0;
    return Error::kSuccess;
  });
}
