// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/stream.h"

#include "shim/simgpu/cudart/conversions.h"
#include "shim/simgpu/cudart/runtime_call.h"
#include "shim/simgpu/device/capture.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName>
cudaError_t MakeStream(cudaStream_t* stream, unsigned flags, int priority) {
  return Runtime<kName>(Needs::kContext, [&] {
    if (stream == nullptr) return Error::kInvalidValue;
    Stream* made = nullptr;
    const Error error = CreateStream(ActiveDevice(), flags, priority, &made);
    if (error == Error::kSuccess) *stream = ToHandle<cudaStream_t>(made);
    return error;
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
  return OnStream<"cudaStreamDestroy">(stream, [&](Stream& s) {
    // The handles 0, 1 and 2 are not the caller's.
    const bool own =
        reinterpret_cast<uintptr_t>(stream) > kPerThreadStreamHandle;
    return own ? DestroyStream(s) : Error::kInvalidHandle;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return OnStream<"cudaStreamSynchronize">(
      stream, [](Stream& s) { return SynchronizeStream(s); });
}

cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  return OnStream<"cudaStreamSynchronize_ptsz", kPtsz>(
      stream, [](Stream& s) { return SynchronizeStream(s); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return OnStream<"cudaStreamQuery">(stream,
                                     [](Stream& s) { return QueryStream(s); });
}

cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream) {
  return OnStream<"cudaStreamQuery_ptsz", kPtsz>(
      stream, [](Stream& s) { return QueryStream(s); });
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
