// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/stream.h"

#include "simgpu/driver/driver_body.h"
#include "simgpu/graph/capture.h"
#include "simgpu/stream/submit.h"

namespace dltap::simgpu::body {

Error StreamCreate(CUstream* out, unsigned flags) {
  return StreamCreateWithPriority(out, flags, 0);
}

Error StreamCreateWithPriority(CUstream* out, unsigned flags, int priority) {
  if (out == nullptr) return Error::kInvalidValue;
  Stream* stream = nullptr;
  const Error error =
      CreateStream(CurrentDeviceState(), flags, priority, &stream);
  if (error == Error::kSuccess) *out = ToHandle<CUstream>(stream);
  return error;
}

Error StreamDestroy(CUstream handle) {
  Stream* stream = ResolveStream(handle);
  // The handles 0, 1 and 2 are not the caller's.
  const bool own = reinterpret_cast<uintptr_t>(handle) > kPerThreadStreamHandle;
  return stream != nullptr && own ? DestroyStream(*stream)
                                  : Error::kInvalidHandle;
}

Error StreamSynchronize(Stream& stream) { return SynchronizeStream(stream); }

Error StreamQuery(Stream& stream) { return QueryStream(stream); }

Error StreamGetPriority(Stream& stream, int* priority) {
  return Give(priority, stream.priority);
}

Error StreamGetFlags(Stream& stream, unsigned* flags) {
  return Give(flags, stream.flags);
}

Error StreamGetId(Stream& stream, unsigned long long* id) {
  return Give(id, stream.id);
}

Error StreamGetDevice(Stream& stream, CUdevice* device) {
  return Give(device, stream.device->ordinal);
}

Error StreamGetCtx(Stream& stream, CUcontext* context) {
  return Give(context, ToHandle<CUcontext>(stream.context));
}

Error CtxGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = kLeastPriority;
  if (greatest != nullptr) *greatest = kGreatestPriority;
  return Error::kSuccess;
}

Error LaunchHostFunc(Stream& stream, CUhostFn function, void* user_data) {
  if (function == nullptr) return Error::kInvalidValue;
  return Submit(stream,
                HostWork{[=] { function(user_data); }, function, user_data});
}

Error StreamAddCallback(DefaultStream null, CUstream handle,
                        CUstreamCallback callback, void* user_data,
                        unsigned flags) {
  Stream* stream = ResolveStream(handle, null);
  if (stream == nullptr) return Error::kInvalidHandle;
  if (callback == nullptr || flags != 0) return Error::kInvalidValue;
  // Callbacks cannot be captured, host functions can.
  const Error captured = RefuseWhileCapturing(*stream);
  if (captured != Error::kSuccess) return captured;
  return Submit(*stream, HostWork{.function = [=] {
    callback(handle, CUDA_SUCCESS, user_data);
  }});
}

}  // namespace dltap::simgpu::body
