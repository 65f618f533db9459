// SPDX-License-Identifier: Apache-2.0
// NVTX 3 lives in headers: each library that uses it asks the file named by
// NVTX_INJECTION64_PATH for InitializeInjectionNvtx2 and lets it fill in its
// table of functions. CUPTI is such a file ("NVTX" in its documentation).
#include <cuda_runtime_api.h>
#include <generated_nvtx_meta.h>

#include <type_traits>

#include "simgpu/base/activity.h"
#include "simgpu/cupti/client.h"
#include "simgpu/cupti/nvtx_records.h"
#include "simgpu/launch/handle_facts.h"

namespace dltap::simgpu {
namespace {

// A domain's handle is its name.
const char* NameOf(nvtxDomainHandle_t domain) {
  return reinterpret_cast<const char*>(domain);
}

// Does the call, and shows it to the subscriber.
#define DLTAP_NVTX(name) CUPTI_CBID_NVTX_##name, #name
template <typename Params, typename Body>
auto Call(CUpti_nvtx_api_trace_cbid cbid, const char* name,
          const Params& params, Body body) {
  Subscriber& subscriber = Client::Get().subscriber();
  if constexpr (std::is_void_v<decltype(body())>) {
    body();
    subscriber.OnNvtx(cbid, {name, &params, nullptr});
  } else {
    const auto result = body();
    subscriber.OnNvtx(cbid, {name, &params, &result});
    return result;
  }
}

void MarkEx(const nvtxEventAttributes_t* attributes) {
  Call(DLTAP_NVTX(nvtxMarkEx), nvtxMarkEx_params{attributes},
       [&] { Mark(EventOf(nullptr, attributes)); });
}
void MarkA(const char* text) {
  Call(DLTAP_NVTX(nvtxMarkA), nvtxMarkA_params{text},
       [&] { Mark({.name = NvtxText(text)}); });
}
void MarkW(const wchar_t* text) {
  Call(DLTAP_NVTX(nvtxMarkW), nvtxMarkW_params{text},
       [&] { Mark({.name = NvtxText(text)}); });
}

nvtxRangeId_t RangeStartEx(const nvtxEventAttributes_t* attributes) {
  return Call(DLTAP_NVTX(nvtxRangeStartEx), nvtxRangeStartEx_params{attributes},
              [&] { return StartRange(EventOf(nullptr, attributes)); });
}
nvtxRangeId_t RangeStartA(const char* text) {
  return Call(DLTAP_NVTX(nvtxRangeStartA), nvtxRangeStartA_params{text},
              [&] { return StartRange({.name = NvtxText(text)}); });
}
nvtxRangeId_t RangeStartW(const wchar_t* text) {
  return Call(DLTAP_NVTX(nvtxRangeStartW), nvtxRangeStartW_params{text},
              [&] { return StartRange({.name = NvtxText(text)}); });
}
void RangeEnd(nvtxRangeId_t id) {
  Call(DLTAP_NVTX(nvtxRangeEnd), nvtxRangeEnd_params{id},
       [&] { EndRange(nullptr, id); });
}

int RangePushEx(const nvtxEventAttributes_t* attributes) {
  return Call(DLTAP_NVTX(nvtxRangePushEx), nvtxRangePushEx_params{attributes},
              [&] { return PushRange(EventOf(nullptr, attributes)); });
}
int RangePushA(const char* text) {
  return Call(DLTAP_NVTX(nvtxRangePushA), nvtxRangePushA_params{text},
              [&] { return PushRange({.name = NvtxText(text)}); });
}
int RangePushW(const wchar_t* text) {
  return Call(DLTAP_NVTX(nvtxRangePushW), nvtxRangePushW_params{text},
              [&] { return PushRange({.name = NvtxText(text)}); });
}
int RangePop() {
  return Call(DLTAP_NVTX(nvtxRangePop), nvtxRangePop_params{},
              [] { return PopRange(nullptr); });
}

void DomainMarkEx(nvtxDomainHandle_t domain,
                  const nvtxEventAttributes_t* attributes) {
  Call(DLTAP_NVTX(nvtxDomainMarkEx),
       nvtxDomainMarkEx_params{domain, {attributes}},
       [&] { Mark(EventOf(NameOf(domain), attributes)); });
}
nvtxRangeId_t DomainRangeStartEx(nvtxDomainHandle_t domain,
                                 const nvtxEventAttributes_t* attributes) {
  return Call(DLTAP_NVTX(nvtxDomainRangeStartEx),
              nvtxDomainRangeStartEx_params{domain, {attributes}},
              [&] { return StartRange(EventOf(NameOf(domain), attributes)); });
}
void DomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  Call(DLTAP_NVTX(nvtxDomainRangeEnd), nvtxDomainRangeEnd_params{domain, {id}},
       [&] { EndRange(NameOf(domain), id); });
}
int DomainRangePushEx(nvtxDomainHandle_t domain,
                      const nvtxEventAttributes_t* attributes) {
  return Call(DLTAP_NVTX(nvtxDomainRangePushEx),
              nvtxDomainRangePushEx_params{domain, {attributes}},
              [&] { return PushRange(EventOf(NameOf(domain), attributes)); });
}
int DomainRangePop(nvtxDomainHandle_t domain) {
  return Call(DLTAP_NVTX(nvtxDomainRangePop), nvtxDomainRangePop_params{domain},
              [&] { return PopRange(NameOf(domain)); });
}

nvtxDomainHandle_t DomainCreateA(const char* name) {
  return Call(DLTAP_NVTX(nvtxDomainCreateA), nvtxDomainCreateA_params{name},
              [&] {
                return reinterpret_cast<nvtxDomainHandle_t>(
                    const_cast<char*>(NvtxText(name)));
              });
}
// The headers have a structure for the narrow form only.
nvtxDomainHandle_t DomainCreateW(const wchar_t* name) {
  const char* narrow = NvtxText(name);
  return Call(
      DLTAP_NVTX(nvtxDomainCreateW), nvtxDomainCreateA_params{narrow}, [&] {
        return reinterpret_cast<nvtxDomainHandle_t>(const_cast<char*>(narrow));
      });
}
void DomainDestroy(nvtxDomainHandle_t domain) {
  Call(DLTAP_NVTX(nvtxDomainDestroy), nvtxDomainDestroy_params{domain}, [] {});
}
nvtxStringHandle_t DomainRegisterStringA(nvtxDomainHandle_t domain,
                                         const char* text) {
  return Call(DLTAP_NVTX(nvtxDomainRegisterStringA),
              nvtxDomainRegisterStringA_params{domain, text}, [&] {
                return reinterpret_cast<nvtxStringHandle_t>(
                    const_cast<char*>(NvtxText(text)));
              });
}
nvtxStringHandle_t DomainRegisterStringW(nvtxDomainHandle_t domain,
                                         const wchar_t* text) {
  const char* narrow = NvtxText(text);
  return Call(
      DLTAP_NVTX(nvtxDomainRegisterStringW),
      nvtxDomainRegisterStringW_params{domain, narrow}, [&] {
        return reinterpret_cast<nvtxStringHandle_t>(const_cast<char*>(narrow));
      });
}

CUpti_ActivityObjectKindId ThreadId(uint32_t thread) {
  CUpti_ActivityObjectKindId id{};
  id.pt.processId = static_cast<uint32_t>(getpid());
  id.pt.threadId = thread;
  return id;
}
CUpti_ActivityObjectKindId DeviceId(int device) {
  CUpti_ActivityObjectKindId id{};
  id.dcs.deviceId = static_cast<uint32_t>(device);
  return id;
}
CUpti_ActivityObjectKindId ContextId(CUcontext context) {
  CUpti_ActivityObjectKindId id{};
  id.dcs.deviceId = DeviceIdOfContext(context);
  id.dcs.contextId = ContextIdOf(context);
  return id;
}
CUpti_ActivityObjectKindId StreamId(CUstream stream) {
  CUpti_ActivityObjectKindId id{};
  id.dcs.streamId = StreamIdOf(stream);
  return id;
}

// nvtxNameCuStreamA(handle, text) and all like it.
#define DLTAP_NAMING(function, handle, text, kind, id)                      \
  void function(handle object, const text* name) {                          \
    Call(DLTAP_NVTX(nvtx##function), nvtx##function##_params{object, name}, \
         [&] {                                                              \
           NameObject(CUPTI_ACTIVITY_OBJECT_##kind, id(object),             \
                      NvtxText(name));                                      \
         });                                                                \
  }
DLTAP_NAMING(NameOsThreadA, uint32_t, char, THREAD, ThreadId)
DLTAP_NAMING(NameOsThreadW, uint32_t, wchar_t, THREAD, ThreadId)
DLTAP_NAMING(NameCuDeviceA, CUdevice, char, DEVICE, DeviceId)
DLTAP_NAMING(NameCuDeviceW, CUdevice, wchar_t, DEVICE, DeviceId)
DLTAP_NAMING(NameCuContextA, CUcontext, char, CONTEXT, ContextId)
DLTAP_NAMING(NameCuContextW, CUcontext, wchar_t, CONTEXT, ContextId)
DLTAP_NAMING(NameCuStreamA, CUstream, char, STREAM, StreamId)
DLTAP_NAMING(NameCuStreamW, CUstream, wchar_t, STREAM, StreamId)
DLTAP_NAMING(NameCudaDeviceA, int, char, DEVICE, DeviceId)
DLTAP_NAMING(NameCudaDeviceW, int, wchar_t, DEVICE, DeviceId)
DLTAP_NAMING(NameCudaStreamA, cudaStream_t, char, STREAM, StreamId)
DLTAP_NAMING(NameCudaStreamW, cudaStream_t, wchar_t, STREAM, StreamId)
#undef DLTAP_NAMING

// What has no record: shown to the subscriber only.
#define DLTAP_SHOWN(function, handle, text)                                 \
  void function(handle object, const text* name) {                          \
    Call(DLTAP_NVTX(nvtx##function), nvtx##function##_params{object, name}, \
         [] {});                                                            \
  }
DLTAP_SHOWN(NameCategoryA, uint32_t, char)
DLTAP_SHOWN(NameCategoryW, uint32_t, wchar_t)
DLTAP_SHOWN(NameCuEventA, CUevent, char)
DLTAP_SHOWN(NameCuEventW, CUevent, wchar_t)
DLTAP_SHOWN(NameCudaEventA, cudaEvent_t, char)
DLTAP_SHOWN(NameCudaEventW, cudaEvent_t, wchar_t)
#undef DLTAP_SHOWN
#undef DLTAP_NVTX

struct Row {
  NvtxCallbackModule module;
  unsigned index;
  NvtxFunctionPointer function;
};
#define DLTAP_ROW(module, name)                           \
  {                                                       \
    NVTX_CB_MODULE_##module, NVTX_CBID_##module##_##name, \
        reinterpret_cast<NvtxFunctionPointer>(&name)      \
  }
const Row kRows[] = {
    DLTAP_ROW(CORE, MarkEx),
    DLTAP_ROW(CORE, MarkA),
    DLTAP_ROW(CORE, MarkW),
    DLTAP_ROW(CORE, RangeStartEx),
    DLTAP_ROW(CORE, RangeStartA),
    DLTAP_ROW(CORE, RangeStartW),
    DLTAP_ROW(CORE, RangeEnd),
    DLTAP_ROW(CORE, RangePushEx),
    DLTAP_ROW(CORE, RangePushA),
    DLTAP_ROW(CORE, RangePushW),
    DLTAP_ROW(CORE, RangePop),
    DLTAP_ROW(CORE, NameCategoryA),
    DLTAP_ROW(CORE, NameCategoryW),
    DLTAP_ROW(CORE, NameOsThreadA),
    DLTAP_ROW(CORE, NameOsThreadW),
    DLTAP_ROW(CORE2, DomainMarkEx),
    DLTAP_ROW(CORE2, DomainRangeStartEx),
    DLTAP_ROW(CORE2, DomainRangeEnd),
    DLTAP_ROW(CORE2, DomainRangePushEx),
    DLTAP_ROW(CORE2, DomainRangePop),
    DLTAP_ROW(CORE2, DomainCreateA),
    DLTAP_ROW(CORE2, DomainCreateW),
    DLTAP_ROW(CORE2, DomainDestroy),
    DLTAP_ROW(CORE2, DomainRegisterStringA),
    DLTAP_ROW(CORE2, DomainRegisterStringW),
    DLTAP_ROW(CUDA, NameCuDeviceA),
    DLTAP_ROW(CUDA, NameCuDeviceW),
    DLTAP_ROW(CUDA, NameCuContextA),
    DLTAP_ROW(CUDA, NameCuContextW),
    DLTAP_ROW(CUDA, NameCuStreamA),
    DLTAP_ROW(CUDA, NameCuStreamW),
    DLTAP_ROW(CUDA, NameCuEventA),
    DLTAP_ROW(CUDA, NameCuEventW),
    DLTAP_ROW(CUDART, NameCudaDeviceA),
    DLTAP_ROW(CUDART, NameCudaDeviceW),
    DLTAP_ROW(CUDART, NameCudaStreamA),
    DLTAP_ROW(CUDART, NameCudaStreamW),
    DLTAP_ROW(CUDART, NameCudaEventA),
    DLTAP_ROW(CUDART, NameCudaEventW),
};
#undef DLTAP_ROW

int Fill(NvtxGetExportTableFunc_t get_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(
      get_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr) return 0;
  for (const Row& row : kRows) {
    NvtxFunctionTable table = nullptr;
    unsigned size = 0;
    if (callbacks->GetModuleFunctionTable(row.module, &table, &size) == 0) {
      continue;  // a program without that part of NVTX
    }
    if (row.index < size && table[row.index] != nullptr) {
      *table[row.index] = row.function;
    }
  }
  return 1;
}

}  // namespace
}  // namespace dltap::simgpu

extern "C" {

[[gnu::visibility("default")]] int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_table) {
  return dltap::simgpu::Fill(get_table);
}

[[gnu::visibility("default")]] int InitializeInjectionNvtx(
    NvtxGetExportTableFunc_t get_table) {
  return dltap::simgpu::Fill(get_table);
}

}  // extern "C"
