// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/green_context.h"

#include <cstring>

#include "simgpu/driver/driver_call.h"

namespace dltap::simgpu {
namespace {

// What a CUdevResource keeps where programs must not look.
struct Hidden {
  uint32_t magic;
  int device;
  uint64_t split;
};
constexpr uint32_t kMagic = 0x534d5253;  // "SMRS"

void Show(const SmResource& resource, CUdevResource* out) {
  const SmGranularity granularity = GranularityOf(*resource.device);
  *out = {};
  out->type = CU_DEV_RESOURCE_TYPE_SM;
  out->sm.smCount = resource.sms;
  out->sm.minSmPartitionSize = granularity.least;
  out->sm.smCoscheduledAlignment = granularity.step;
  const Hidden hidden{kMagic, resource.device->ordinal, resource.split};
  static_assert(sizeof(hidden) <= sizeof(out->_internal_padding));
  std::memcpy(out->_internal_padding, &hidden, sizeof(hidden));
}

Error Read(const CUdevResource& given, SmResource* resource) {
  if (given.type != CU_DEV_RESOURCE_TYPE_SM) {
    return Error::kInvalidResourceType;
  }
  Hidden hidden;
  std::memcpy(&hidden, given._internal_padding, sizeof(hidden));
  Device* device = hidden.magic == kMagic ? FindDevice(hidden.device) : nullptr;
  *resource = {device, given.sm.smCount, hidden.split};
  return device == nullptr ? Error::kInvalidValue : Error::kSuccess;
}

Error Give(const SmResource& resource, CUdevResource* out,
           CUdevResourceType type) {
  if (out == nullptr) return Error::kInvalidValue;
  if (type != CU_DEV_RESOURCE_TYPE_SM) return Error::kInvalidResourceType;
  Show(resource, out);
  return Error::kSuccess;
}

SmResource AllOf(Device& device) {
  return {&device, static_cast<unsigned>(device.gpu.sms), 0};
}

template <ApiName kName, typename Body>
CUresult OnGreen(CUgreenCtx handle, Body body) {
  return Driver<kName>(DriverNeeds::kInit, [&] {
    auto* green = FromHandle<GreenContext>(handle);
    return green == nullptr ? Error::kInvalidContext : body(*green);
  });
}

template <ApiName kName, typename Body>
CUresult OnContext(CUcontext handle, Body body) {
  return Driver<kName>(DriverNeeds::kInit, [&] {
    auto* context = FromHandle<Context>(handle);
    return context == nullptr ? Error::kInvalidContext : body(*context);
  });
}

using EventAct = Error (*)(Device&, const GreenContext*, Event&);

Error OnEvent(Device& device, const GreenContext* green, CUevent handle,
              EventAct act) {
  auto* event = FromHandle<Event>(handle);
  return event == nullptr ? Error::kInvalidHandle : act(device, green, *event);
}

template <ApiName kName, EventAct kAct>
CUresult ContextEvent(CUcontext context, CUevent event) {
  return OnContext<kName>(context, [&](const Context& found) {
    return OnEvent(*found.device, GreenContextOf(&found), event, kAct);
  });
}

template <ApiName kName, EventAct kAct>
CUresult GreenEvent(CUgreenCtx context, CUevent event) {
  return OnGreen<kName>(context, [&](const GreenContext& green) {
    return OnEvent(*green.resource.device, &green, event, kAct);
  });
}

Error Split(CUdevResource* result, unsigned* groups, const CUdevResource& input,
            CUdevResource* remaining, unsigned flags, unsigned least_sms) {
  constexpr unsigned kFine = CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING;
  constexpr unsigned kKnown =
      kFine | CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE;
  if ((flags & ~kKnown) != 0) return Error::kInvalidValue;
  SmResource resource;
  Error error = Read(input, &resource);
  if (error != Error::kSuccess) return error;
  // "The output results cannot be split again."
  if (resource.split != 0) return Error::kInvalidResourceConfiguration;
  SmSplit split;
  error = SplitSms(resource, least_sms, (flags & kFine) != 0,
                   result == nullptr ? ~0u : *groups, &split);
  if (error != Error::kSuccess) return error;
  *groups = split.groups;
  if (result == nullptr) return Error::kSuccess;
  for (unsigned i = 0; i < split.groups; ++i) Show(split.group, &result[i]);
  if (remaining != nullptr) {
    *remaining = {};
    if (split.rest.sms != 0) Show(split.rest, remaining);
  }
  return Error::kSuccess;
}

// The one of the stream, or of the calling thread for a default stream.
GreenContext* GreenOf(const Stream& stream) {
  if (!stream.legacy) return stream.green;
  CUcontext current = nullptr;
  if (cuCtxGetCurrent(&current) != CUDA_SUCCESS) return nullptr;
  return GreenContextOf(FromHandle<Context>(current));
}

}  // namespace

Error body::StreamGetCtx(Stream& stream, CUcontext* context,
                         CUgreenCtx* green) {
  if (context == nullptr || green == nullptr) return Error::kInvalidValue;
  GreenContext* found = GreenOf(stream);
  *context = ToHandle<CUcontext>(
      found != nullptr ? stream.device->primary_context : stream.context);
  *green = ToHandle<CUgreenCtx>(found);
  return Error::kSuccess;
}

}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

// ---- Resources

CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource* resource,
                                CUdevResourceType type) {
  return OnDevice<"cuDeviceGetDevResource">(device, [&](Device& found) {
    return Give(AllOf(found), resource, type);
  });
}

CUresult cuCtxGetDevResource(CUcontext hCtx, CUdevResource* resource,
                             CUdevResourceType type) {
  return OnContext<"cuCtxGetDevResource">(hCtx, [&](const Context& context) {
    const GreenContext* green = GreenContextOf(&context);
    return Give(green != nullptr
                    ? SmResource{green->resource.device, green->resource.sms, 0}
                    : AllOf(*context.device),
                resource, type);
  });
}

CUresult cuGreenCtxGetDevResource(CUgreenCtx hCtx, CUdevResource* resource,
                                  CUdevResourceType type) {
  return OnGreen<"cuGreenCtxGetDevResource">(hCtx, [&](const GreenContext&
                                                           green) {
    return Give({green.resource.device, green.resource.sms, 0}, resource, type);
  });
}

CUresult cuDevSmResourceSplitByCount(
    CUdevResource* result, unsigned int* nbGroups, const CUdevResource* input,
    CUdevResource* remaining, unsigned int useFlags, unsigned int minCount) {
  return Driver<"cuDevSmResourceSplitByCount">(DriverNeeds::kInit, [&] {
    if (nbGroups == nullptr || input == nullptr) return Error::kInvalidValue;
    return Split(result, nbGroups, *input, remaining, useFlags, minCount);
  });
}

CUresult cuDevResourceGenerateDesc(CUdevResourceDesc* phDesc,
                                   CUdevResource* resources,
                                   unsigned int nbResources) {
  return Driver<"cuDevResourceGenerateDesc">(DriverNeeds::kInit, [&] {
    if (phDesc == nullptr || resources == nullptr || nbResources == 0) {
      return Error::kInvalidValue;
    }
    std::vector<SmResource> parts(nbResources);
    for (unsigned i = 0; i < nbResources; ++i) {
      const Error error = Read(resources[i], &parts[i]);
      if (error != Error::kSuccess) return error;
    }
    SmDescription* description = nullptr;
    const Error error = DescribeSms(parts, &description);
    if (error == Error::kSuccess) {
      *phDesc = ToHandle<CUdevResourceDesc>(description);
    }
    return error;
  });
}

// ---- Green contexts

CUresult cuGreenCtxCreate(CUgreenCtx* phCtx, CUdevResourceDesc desc,
                          CUdevice dev, unsigned int flags) {
  return OnDevice<"cuGreenCtxCreate">(dev, [&](const Device& device) {
    const auto* description = FromHandle<SmDescription>(desc);
    // "CU_GREEN_CTX_DEFAULT_STREAM is required."
    if (phCtx == nullptr || description == nullptr ||
        flags != CU_GREEN_CTX_DEFAULT_STREAM ||
        description->resource.device != &device) {
      return Error::kInvalidValue;
    }
    GreenContext* green = nullptr;
    const Error error = CreateGreenContext(*description, &green);
    *phCtx = ToHandle<CUgreenCtx>(green);
    return error;
  });
}

CUresult cuGreenCtxDestroy(CUgreenCtx hCtx) {
  return OnGreen<"cuGreenCtxDestroy">(hCtx, DestroyGreenContext);
}

CUresult cuCtxFromGreenCtx(CUcontext* pContext, CUgreenCtx hCtx) {
  return OnGreen<"cuCtxFromGreenCtx">(hCtx, [&](const GreenContext& green) {
    if (pContext == nullptr) return Error::kInvalidValue;
    *pContext = ToHandle<CUcontext>(green.context);
    return Error::kSuccess;
  });
}

CUresult cuGreenCtxGetId(CUgreenCtx greenCtx, unsigned long long* greenCtxId) {
  return OnGreen<"cuGreenCtxGetId">(greenCtx, [&](const GreenContext& green) {
    if (greenCtxId == nullptr) return Error::kInvalidValue;
    *greenCtxId = green.id;
    return Error::kSuccess;
  });
}

CUresult cuGreenCtxStreamCreate(CUstream* phStream, CUgreenCtx greenCtx,
                                unsigned int flags, int priority) {
  return OnGreen<"cuGreenCtxStreamCreate">(greenCtx, [&](GreenContext& green) {
    // "CU_STREAM_NON_BLOCKING must be specified."
    if (phStream == nullptr || flags != CU_STREAM_NON_BLOCKING) {
      return Error::kInvalidValue;
    }
    Stream* stream = nullptr;
    const Error error =
        CreateStream(*green.resource.device, flags, priority, &stream);
    if (error != Error::kSuccess) return error;
    EnterGreenContext(*stream, green);
    *phStream = ToHandle<CUstream>(stream);
    return error;
  });
}

CUresult cuStreamGetGreenCtx(CUstream hStream, CUgreenCtx* phCtx) {
  return OnStream<"cuStreamGetGreenCtx">(hStream, [&](const Stream& stream) {
    if (phCtx == nullptr) return Error::kInvalidValue;
    *phCtx = ToHandle<CUgreenCtx>(GreenOf(stream));
    return Error::kSuccess;
  });
}

// ---- Events of all streams of a context

CUresult cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent) {
  return ContextEvent<"cuCtxRecordEvent", RecordContextEvent>(hCtx, hEvent);
}

CUresult cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent) {
  return ContextEvent<"cuCtxWaitEvent", ContextWaitEvent>(hCtx, hEvent);
}

CUresult cuGreenCtxRecordEvent(CUgreenCtx hCtx, CUevent hEvent) {
  return GreenEvent<"cuGreenCtxRecordEvent", RecordContextEvent>(hCtx, hEvent);
}

CUresult cuGreenCtxWaitEvent(CUgreenCtx hCtx, CUevent hEvent) {
  return GreenEvent<"cuGreenCtxWaitEvent", ContextWaitEvent>(hCtx, hEvent);
}
