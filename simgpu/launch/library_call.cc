// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/library_call.h"

#include <utility>

#include "simgpu/base/activity.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/bytes/address_map.h"
#include "simgpu/launch/driver_launch.h"
#include "simgpu/memory/transfer.h"
#include "simgpu/stream/stream.h"

namespace dltap::simgpu {
namespace {

ApiFunction& LaunchFunction() {
  static constinit ApiFunction function{"inner", "cudaLaunchKernel",
                                        ApiDomain::kRuntime, BodyKind::kReal};
  return function;
}

ApiFunction& MemsetFunction() {
  static constinit ApiFunction function{"inner", "cudaMemsetAsync",
                                        ApiDomain::kRuntime, BodyKind::kReal};
  return function;
}

}  // namespace

MayWrite::MayWrite(std::vector<WriteTarget> targets)
    : targets_(std::move(targets)), outer_(CurrentThread().may_write) {
  CurrentThread().may_write = &targets_;
}

MayWrite::~MayWrite() { CurrentThread().may_write = outer_; }

Error LaunchLibraryKernel(void* stream_handle, const LibraryKernel& kernel) {
  if (const Error error = InitializeDevices(); error != Error::kSuccess) {
    return error;
  }
  if (kernel.route == LaunchRoute::kDriver) {
    return LaunchByDriver(stream_handle, kernel);
  }
  InnerCall call(LaunchFunction());
  return LaunchByDriver(stream_handle, kernel);
}

Error LibraryMemset(void* stream_handle, void* address, int value,
                    size_t bytes) {
  if (const Error error = InitializeDevices(); error != Error::kSuccess) {
    return error;
  }
  Stream* stream = ResolveStream(stream_handle);
  if (stream == nullptr) return Error::kInvalidHandle;
  InnerCall call(MemsetFunction());
  MemsetWork set;
  const Error error = MakeMemset(address, static_cast<uint8_t>(value), 1, bytes,
                                 1, bytes, &set);
  return error == Error::kSuccess ? FillAsync(*stream, set) : error;
}

int DeviceOfStream(void* stream_handle) {
  if (InitializeDevices() != Error::kSuccess) return 0;
  const Stream* stream = ResolveStream(stream_handle);
  return stream == nullptr ? CurrentDevice() : stream->device->ordinal;
}

const opmodel::GpuSpec& GpuOfStream(void* stream) {
  const Device* device = FindDevice(DeviceOfStream(stream));
  return device == nullptr ? opmodel::AllGpus().front() : device->gpu;
}

bool IsCapturing(void* stream_handle) {
  if (InitializeDevices() != Error::kSuccess) return false;
  const Stream* stream = ResolveStream(stream_handle);
  return stream != nullptr && stream->capture.load() != nullptr;
}

bool IsDeviceMemory(const void* address) {
  const auto allocation = FindAllocation(address);
  return allocation && (allocation->kind == MemoryKind::kDevice ||
                        allocation->kind == MemoryKind::kManaged);
}

}  // namespace dltap::simgpu
