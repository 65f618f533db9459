// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/stream.h"

#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/graph/capture.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName>
cudaError_t MakeStream(cudaStream_t* stream, unsigned flags, int priority) {
  return ByDriver<kName>([&](const DriverTable& driver) {
    return FromDriver(
        driver.stream_create_with_priority(stream, flags, priority));
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Synchronize(cudaStream_t stream) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    return FromDriver(driver.stream_synchronize(stream));
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Query(cudaStream_t stream) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    return FromDriver(driver.stream_query(stream));
  });
}

// Functions that read one property of a stream.
template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy,
          typename T, typename Property>
cudaError_t Read(cudaStream_t handle, T* value, Property property) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (value == nullptr) return Error::kInvalidValue;
    *value = property(stream);
    return Error::kSuccess;
  });
}

int PriorityOf(const Stream& stream) { return stream.priority; }
unsigned FlagsOf(const Stream& stream) { return stream.flags; }
unsigned long long IdOf(const Stream& stream) { return stream.id; }
int DeviceOf(const Stream& stream) { return stream.device->ordinal; }

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaStreamCreate(cudaStream_t* pStream) {
  return MakeStream<"cudaStreamCreate">(pStream, 0, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream,
                                      unsigned int flags) {
  return MakeStream<"cudaStreamCreateWithFlags">(pStream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* pStream,
                                         unsigned int flags, int priority) {
  return MakeStream<"cudaStreamCreateWithPriority">(pStream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return ByDriver<"cudaStreamDestroy">([&](const DriverTable& driver) {
    return FromDriver(driver.stream_destroy(stream));
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return Synchronize<"cudaStreamSynchronize">(stream);
}

cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  return Synchronize<"cudaStreamSynchronize_ptsz", kPtsz>(stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return Query<"cudaStreamQuery">(stream);
}

cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream) {
  return Query<"cudaStreamQuery_ptsz", kPtsz>(stream);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return Read<"cudaStreamGetPriority">(stream, priority, PriorityOf);
}

cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t stream, int* priority) {
  return Read<"cudaStreamGetPriority_ptsz", kPtsz>(stream, priority,
                                                   PriorityOf);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  return Read<"cudaStreamGetFlags">(stream, flags, FlagsOf);
}

cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t stream, unsigned int* flags) {
  return Read<"cudaStreamGetFlags_ptsz", kPtsz>(stream, flags, FlagsOf);
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return Read<"cudaStreamGetId">(stream, id, IdOf);
}

cudaError_t cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long* id) {
  return Read<"cudaStreamGetId_ptsz", kPtsz>(stream, id, IdOf);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return Read<"cudaStreamGetDevice">(stream, device, DeviceOf);
}

cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t stream, int* device) {
  return Read<"cudaStreamGetDevice_ptsz", kPtsz>(stream, device, DeviceOf);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* leastPriority,
                                             int* greatestPriority) {
  return Runtime<"cudaDeviceGetStreamPriorityRange">(Needs::kContext, [&] {
    if (leastPriority != nullptr) *leastPriority = kLeastPriority;
    if (greatestPriority != nullptr) *greatestPriority = kGreatestPriority;
    return Error::kSuccess;
  });
}
