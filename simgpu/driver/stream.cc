// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/stream.h"

#include "simgpu/driver/driver_call.h"
#include "simgpu/graph/capture.h"
#include "simgpu/stream/submit.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName>
CUresult Make(CUstream* out, unsigned flags, int priority) {
  return Driver<kName>(DriverNeeds::kContext, [&] {
    if (out == nullptr) return Error::kInvalidValue;
    Stream* stream = nullptr;
    const Error error =
        CreateStream(CurrentDeviceState(), flags, priority, &stream);
    if (error == Error::kSuccess) *out = ToHandle<CUstream>(stream);
    return error;
  });
}

template <ApiName kName>
CUresult Destroy(CUstream handle) {
  return OnStream<kName>(handle, [&](Stream& stream) {
    // The handles 0, 1 and 2 are not the caller's.
    const bool own =
        reinterpret_cast<uintptr_t>(handle) > kPerThreadStreamHandle;
    return own ? DestroyStream(stream) : Error::kInvalidHandle;
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy,
          typename T, typename Property>
CUresult Read(CUstream handle, T* value, Property property) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (value == nullptr) return Error::kInvalidValue;
    *value = property(stream);
    return Error::kSuccess;
  });
}

int PriorityOf(const Stream& stream) { return stream.priority; }
unsigned FlagsOf(const Stream& stream) { return stream.flags; }
unsigned long long IdOf(const Stream& stream) { return stream.id; }
CUdevice DeviceOf(const Stream& stream) { return stream.device->ordinal; }
CUcontext ContextOf(const Stream& stream) {
  return ToHandle<CUcontext>(stream.context);
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult LaunchHost(CUstream handle, CUhostFn function, void* user_data) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (function == nullptr) return Error::kInvalidValue;
    return Submit(stream,
                  HostWork{[=] { function(user_data); }, function, user_data});
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult AddCallback(CUstream handle, CUstreamCallback callback,
                     void* user_data, unsigned flags) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (callback == nullptr || flags != 0) return Error::kInvalidValue;
    // Callbacks cannot be captured, host functions can.
    const Error captured = RefuseWhileCapturing(stream);
    if (captured != Error::kSuccess) return captured;
    return Submit(stream, HostWork{.function = [=] {
                    callback(handle, CUDA_SUCCESS, user_data);
                  }});
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuStreamCreate(CUstream* phStream, unsigned int Flags) {
  return Make<"cuStreamCreate">(phStream, Flags, 0);
}

CUresult cuStreamCreateWithPriority(CUstream* phStream, unsigned int flags,
                                    int priority) {
  return Make<"cuStreamCreateWithPriority">(phStream, flags, priority);
}

CUresult cuStreamDestroy(CUstream hStream) {
  return Destroy<"cuStreamDestroy">(hStream);
}

CUresult cuStreamDestroy_v2(CUstream hStream) {
  return Destroy<"cuStreamDestroy_v2">(hStream);
}

CUresult cuStreamSynchronize(CUstream hStream) {
  return OnStream<"cuStreamSynchronize">(
      hStream, [](Stream& stream) { return SynchronizeStream(stream); });
}

CUresult cuStreamSynchronize_ptsz(CUstream hStream) {
  return OnStream<"cuStreamSynchronize_ptsz", kPtsz>(
      hStream, [](Stream& stream) { return SynchronizeStream(stream); });
}

CUresult cuStreamQuery(CUstream hStream) {
  return OnStream<"cuStreamQuery">(
      hStream, [](Stream& stream) { return QueryStream(stream); });
}

CUresult cuStreamQuery_ptsz(CUstream hStream) {
  return OnStream<"cuStreamQuery_ptsz", kPtsz>(
      hStream, [](Stream& stream) { return QueryStream(stream); });
}

CUresult cuStreamGetPriority(CUstream hStream, int* priority) {
  return Read<"cuStreamGetPriority">(hStream, priority, PriorityOf);
}

CUresult cuStreamGetPriority_ptsz(CUstream hStream, int* priority) {
  return Read<"cuStreamGetPriority_ptsz", kPtsz>(hStream, priority, PriorityOf);
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int* flags) {
  return Read<"cuStreamGetFlags">(hStream, flags, FlagsOf);
}

CUresult cuStreamGetFlags_ptsz(CUstream hStream, unsigned int* flags) {
  return Read<"cuStreamGetFlags_ptsz", kPtsz>(hStream, flags, FlagsOf);
}

CUresult cuStreamGetId(CUstream hStream, unsigned long long* streamId) {
  return Read<"cuStreamGetId">(hStream, streamId, IdOf);
}

CUresult cuStreamGetId_ptsz(CUstream hStream, unsigned long long* streamId) {
  return Read<"cuStreamGetId_ptsz", kPtsz>(hStream, streamId, IdOf);
}

CUresult cuStreamGetDevice(CUstream hStream, CUdevice* device) {
  return Read<"cuStreamGetDevice">(hStream, device, DeviceOf);
}

CUresult cuStreamGetDevice_ptsz(CUstream hStream, CUdevice* device) {
  return Read<"cuStreamGetDevice_ptsz", kPtsz>(hStream, device, DeviceOf);
}

CUresult cuStreamGetCtx(CUstream hStream, CUcontext* pctx) {
  return Read<"cuStreamGetCtx">(hStream, pctx, ContextOf);
}

CUresult cuStreamGetCtx_ptsz(CUstream hStream, CUcontext* pctx) {
  return Read<"cuStreamGetCtx_ptsz", kPtsz>(hStream, pctx, ContextOf);
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void* userData) {
  return LaunchHost<"cuLaunchHostFunc">(hStream, fn, userData);
}

CUresult cuLaunchHostFunc_ptsz(CUstream hStream, CUhostFn fn, void* userData) {
  return LaunchHost<"cuLaunchHostFunc_ptsz", kPtsz>(hStream, fn, userData);
}

CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback,
                             void* userData, unsigned int flags) {
  return AddCallback<"cuStreamAddCallback">(hStream, callback, userData, flags);
}

CUresult cuStreamAddCallback_ptsz(CUstream hStream, CUstreamCallback callback,
                                  void* userData, unsigned int flags) {
  return AddCallback<"cuStreamAddCallback_ptsz", kPtsz>(hStream, callback,
                                                        userData, flags);
}
