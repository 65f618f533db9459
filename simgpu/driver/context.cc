// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/context.h"

#include "simgpu/base/thread_state.h"
#include "simgpu/driver/driver_call.h"
#include "simgpu/memory/memory.h"
#include "simgpu/stream/context_limits.h"
#include "simgpu/stream/device_memory.h"

namespace dltap::simgpu {
namespace {

Context* ToContext(CUcontext handle) { return FromHandle<Context>(handle); }

// The runtime's current device follows the top of the stack.
void SetTop(ThreadState& thread, Context* context) {
  if (thread.contexts.empty()) {
    thread.contexts.push_back(context);
  } else {
    thread.contexts.back() = context;
  }
  thread.device = context->device->ordinal;
}

void Push(ThreadState& thread, Context* context) {
  thread.contexts.push_back(context);
  thread.device = context->device->ordinal;
}

template <ApiName kName>
CUresult Create(CUcontext* out, unsigned flags, CUdevice dev) {
  return OnDevice<kName>(dev, [&](Device& device) {
    if (out == nullptr) return Error::kInvalidValue;
    if (!TakeBytes(device, ContextBytes(device))) {
      return Error::kOutOfMemory;
    }
    Context* context = NewContext(device);
    context->flags.store(flags);
    Push(CurrentThread(), context);
    *out = ToHandle<CUcontext>(context);
    return Error::kSuccess;
  });
}

template <ApiName kName>
CUresult Release(CUdevice dev) {
  return OnDevice<kName>(dev, [&](Device& device) {
    int references = device.primary_references.load();
    do {
      if (references == 0) return Error::kInvalidContext;
    } while (!device.primary_references.compare_exchange_weak(references,
                                                              references - 1));
    return Error::kSuccess;
  });
}

template <ApiName kName>
CUresult SetFlags(CUdevice dev, unsigned flags) {
  return OnDevice<kName>(dev, [&](Device& device) {
    device.primary_context->flags.store(flags);
    return Error::kSuccess;
  });
}

template <ApiName kName>
CUresult Reset(CUdevice dev) {
  return OnDevice<kName>(dev,
                         [&](Device& device) { return ResetDevice(device); });
}

// Of the current context when the handle is null.
Context* ContextOrCurrent(CUcontext handle) {
  if (handle != nullptr) return ToContext(handle);
  const ThreadState& thread = CurrentThread();
  return thread.contexts.empty() ? nullptr : thread.contexts.back();
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuDevicePrimaryCtxRetain(CUcontext* pctx, CUdevice dev) {
  return OnDevice<"cuDevicePrimaryCtxRetain">(dev, [&](Device& device) {
    if (pctx == nullptr) return Error::kInvalidValue;
    device.primary_references.fetch_add(1);
    ActivatePrimary(device);
    *pctx = ToHandle<CUcontext>(device.primary_context);
    return Error::kSuccess;
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev) {
  return Release<"cuDevicePrimaryCtxRelease">(dev);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
  return Release<"cuDevicePrimaryCtxRelease_v2">(dev);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int* flags,
                                    int* active) {
  return OnDevice<"cuDevicePrimaryCtxGetState">(dev, [&](Device& device) {
    if (flags == nullptr || active == nullptr) return Error::kInvalidValue;
    *flags = device.primary_context->flags.load();
    *active = device.primary_active.load() ? 1 : 0;
    return Error::kSuccess;
  });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags) {
  return SetFlags<"cuDevicePrimaryCtxSetFlags">(dev, flags);
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
  return SetFlags<"cuDevicePrimaryCtxSetFlags_v2">(dev, flags);
}

CUresult cuDevicePrimaryCtxReset(CUdevice dev) {
  return Reset<"cuDevicePrimaryCtxReset">(dev);
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev) {
  return Reset<"cuDevicePrimaryCtxReset_v2">(dev);
}

CUresult cuCtxCreate_v2(CUcontext* pctx, unsigned int flags, CUdevice dev) {
  return Create<"cuCtxCreate_v2">(pctx, flags, dev);
}

CUresult cuCtxCreate_v4(CUcontext* pctx, CUctxCreateParams*, unsigned int flags,
                        CUdevice dev) {
  return Create<"cuCtxCreate_v4">(pctx, flags, dev);
}

CUresult cuCtxDestroy_v2(CUcontext ctx) {
  return Driver<"cuCtxDestroy_v2">(DriverNeeds::kInit, [&] {
    Context* context = ToContext(ctx);
    if (context == nullptr || context->primary) return Error::kInvalidContext;
    const Error error = SynchronizeDevice(*context->device);
    ReleaseBytes(*context->device, ContextBytes(*context->device));
    std::erase(CurrentThread().contexts, context);
    HandlePool<Context>::Delete(context);
    return error;
  });
}

CUresult cuCtxGetCurrent(CUcontext* pctx) {
  return Driver<"cuCtxGetCurrent">(DriverNeeds::kInit, [&] {
    if (pctx == nullptr) return Error::kInvalidValue;
    *pctx = ToHandle<CUcontext>(ContextOrCurrent(nullptr));
    return Error::kSuccess;
  });
}

CUresult cuCtxSetCurrent(CUcontext ctx) {
  return Driver<"cuCtxSetCurrent">(DriverNeeds::kInit, [&] {
    ThreadState& thread = CurrentThread();
    if (ctx == nullptr) {
      if (!thread.contexts.empty()) thread.contexts.pop_back();
      return Error::kSuccess;
    }
    Context* context = ToContext(ctx);
    if (context == nullptr) return Error::kInvalidContext;
    SetTop(thread, context);
    return Error::kSuccess;
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext ctx) {
  return Driver<"cuCtxPushCurrent_v2">(DriverNeeds::kInit, [&] {
    Context* context = ToContext(ctx);
    if (context == nullptr) return Error::kInvalidContext;
    Push(CurrentThread(), context);
    return Error::kSuccess;
  });
}

CUresult cuCtxPopCurrent_v2(CUcontext* pctx) {
  return Driver<"cuCtxPopCurrent_v2">(DriverNeeds::kContext, [&] {
    ThreadState& thread = CurrentThread();
    Context* top = thread.contexts.back();
    thread.contexts.pop_back();
    if (!thread.contexts.empty()) {
      thread.device = thread.contexts.back()->device->ordinal;
    }
    if (pctx != nullptr) *pctx = ToHandle<CUcontext>(top);
    return Error::kSuccess;
  });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return Driver<"cuCtxGetDevice">(DriverNeeds::kContext, [&] {
    if (device == nullptr) return Error::kInvalidValue;
    *device = CurrentThread().device;
    return Error::kSuccess;
  });
}

CUresult cuCtxSynchronize() {
  return Driver<"cuCtxSynchronize">(DriverNeeds::kContext, [] {
    return SynchronizeDevice(CurrentDeviceState());
  });
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int* version) {
  return Driver<"cuCtxGetApiVersion">(DriverNeeds::kInit, [&] {
    if (ContextOrCurrent(ctx) == nullptr) return Error::kInvalidContext;
    *version = CUDA_VERSION;
    return Error::kSuccess;
  });
}

CUresult cuCtxGetFlags(unsigned int* flags) {
  return Driver<"cuCtxGetFlags">(DriverNeeds::kContext, [&] {
    *flags = ContextOrCurrent(nullptr)->flags.load();
    return Error::kSuccess;
  });
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long* ctxId) {
  return Driver<"cuCtxGetId">(DriverNeeds::kInit, [&] {
    const Context* context = ContextOrCurrent(ctx);
    if (context == nullptr) return Error::kInvalidContext;
    if (ctxId == nullptr) return Error::kInvalidValue;
    *ctxId = context->id;
    return Error::kSuccess;
  });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return Driver<"cuCtxSetLimit">(DriverNeeds::kContext, [&] {
    return SetContextLimit(*ContextOrCurrent(nullptr), limit, value);
  });
}

CUresult cuCtxGetLimit(size_t* pvalue, CUlimit limit) {
  return Driver<"cuCtxGetLimit">(DriverNeeds::kContext, [&] {
    return GetContextLimit(*ContextOrCurrent(nullptr), limit, pvalue);
  });
}

CUresult cuCtxGetStreamPriorityRange(int* leastPriority,
                                     int* greatestPriority) {
  return Driver<"cuCtxGetStreamPriorityRange">(DriverNeeds::kContext, [&] {
    if (leastPriority != nullptr) *leastPriority = kLeastPriority;
    if (greatestPriority != nullptr) *greatestPriority = kGreatestPriority;
    return Error::kSuccess;
  });
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
  return Driver<"cuCtxEnablePeerAccess">(DriverNeeds::kContext, [&] {
    const Context* peer = ToContext(peerContext);
    Device& device = CurrentDeviceState();
    if (peer == nullptr || peer->device == &device) {
      return Error::kInvalidContext;
    }
    if (Flags != 0) return Error::kInvalidValue;
    const uint32_t bit = 1u << peer->device->ordinal;
    return (device.peers.fetch_or(bit) & bit) != 0 ? Error::kPeerAlreadyEnabled
                                                   : Error::kSuccess;
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext) {
  return Driver<"cuCtxDisablePeerAccess">(DriverNeeds::kContext, [&] {
    const Context* peer = ToContext(peerContext);
    if (peer == nullptr) return Error::kInvalidContext;
    const uint32_t bit = 1u << peer->device->ordinal;
    return (CurrentDeviceState().peers.fetch_and(~bit) & bit) == 0
               ? Error::kPeerNotEnabled
               : Error::kSuccess;
  });
}
