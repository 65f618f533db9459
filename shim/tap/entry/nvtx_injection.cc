// SPDX-License-Identifier: Apache-2.0
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include "shim/tap/entry/nvtx_ranges.h"

// NVTX 3 lives in headers: each library that uses it asks the file named by
// NVTX_INJECTION64_PATH (`dltap run` sets it) for this entry and lets it fill
// in its table of functions.
namespace dltap::shim {
namespace {

using nvtx::Event;
using nvtx::FromAttributes;
using nvtx::Name;

// What programs get when no tool is there, so that none can depend on us.
constexpr int kNoTracking = -2;  // NVTX_NO_PUSH_POP_TRACKING

Name* AsName(nvtxDomainHandle_t domain) {
  return reinterpret_cast<Name*>(domain);
}

Event Text(const char* text) {
  Event event;
  event.text = text;
  return event;
}

Event Text(const wchar_t* text) {
  Event event;
  event.wide_text = text;
  return event;
}

void MarkEx(const nvtxEventAttributes_t* attributes) {
  nvtx::Mark(FromAttributes(nullptr, attributes));
}
void MarkA(const char* text) { nvtx::Mark(Text(text)); }
void MarkW(const wchar_t* text) { nvtx::Mark(Text(text)); }

nvtxRangeId_t RangeStartEx(const nvtxEventAttributes_t* attributes) {
  return nvtx::StartRange(FromAttributes(nullptr, attributes));
}
nvtxRangeId_t RangeStartA(const char* text) {
  return nvtx::StartRange(Text(text));
}
nvtxRangeId_t RangeStartW(const wchar_t* text) {
  return nvtx::StartRange(Text(text));
}
void RangeEnd(nvtxRangeId_t id) { nvtx::EndRange(nullptr, id); }

int RangePushEx(const nvtxEventAttributes_t* attributes) {
  nvtx::Push(FromAttributes(nullptr, attributes));
  return kNoTracking;
}
int RangePushA(const char* text) {
  nvtx::Push(Text(text));
  return kNoTracking;
}
int RangePushW(const wchar_t* text) {
  nvtx::Push(Text(text));
  return kNoTracking;
}
int RangePop() {
  nvtx::Pop(nullptr);
  return kNoTracking;
}

void DomainMarkEx(nvtxDomainHandle_t domain,
                  const nvtxEventAttributes_t* attributes) {
  nvtx::Mark(FromAttributes(AsName(domain), attributes));
}
nvtxRangeId_t DomainRangeStartEx(nvtxDomainHandle_t domain,
                                 const nvtxEventAttributes_t* attributes) {
  return nvtx::StartRange(FromAttributes(AsName(domain), attributes));
}
void DomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  nvtx::EndRange(AsName(domain), id);
}
int DomainRangePushEx(nvtxDomainHandle_t domain,
                      const nvtxEventAttributes_t* attributes) {
  nvtx::Push(FromAttributes(AsName(domain), attributes));
  return kNoTracking;
}
int DomainRangePop(nvtxDomainHandle_t domain) {
  nvtx::Pop(AsName(domain));
  return kNoTracking;
}

nvtxStringHandle_t DomainRegisterStringA(nvtxDomainHandle_t, const char* text) {
  return reinterpret_cast<nvtxStringHandle_t>(nvtx::Keep(text));
}
nvtxStringHandle_t DomainRegisterStringW(nvtxDomainHandle_t,
                                         const wchar_t* text) {
  return reinterpret_cast<nvtxStringHandle_t>(nvtx::KeepWide(text));
}
nvtxDomainHandle_t DomainCreateA(const char* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(nvtx::Keep(name));
}
nvtxDomainHandle_t DomainCreateW(const wchar_t* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(nvtx::KeepWide(name));
}

struct Entry {
  unsigned id;
  void (*function)();
};

template <typename Function>
void (*Erase(Function* function))() {
  return reinterpret_cast<void (*)()>(function);
}

void FillTable(const NvtxExportTableCallbacks& callbacks,
               NvtxCallbackModule module, const Entry* entries, int count) {
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks.GetModuleFunctionTable(module, &table, &size) == 0) return;
  for (int i = 0; i < count; ++i) {
    // Older programs have shorter tables.
    if (entries[i].id < size && table[entries[i].id] != nullptr) {
      *table[entries[i].id] = entries[i].function;
    }
  }
}

void FillTables(const NvtxExportTableCallbacks& callbacks) {
  const Entry core[] = {{NVTX_CBID_CORE_MarkEx, Erase(MarkEx)},
                        {NVTX_CBID_CORE_MarkA, Erase(MarkA)},
                        {NVTX_CBID_CORE_MarkW, Erase(MarkW)},
                        {NVTX_CBID_CORE_RangeStartEx, Erase(RangeStartEx)},
                        {NVTX_CBID_CORE_RangeStartA, Erase(RangeStartA)},
                        {NVTX_CBID_CORE_RangeStartW, Erase(RangeStartW)},
                        {NVTX_CBID_CORE_RangeEnd, Erase(RangeEnd)},
                        {NVTX_CBID_CORE_RangePushEx, Erase(RangePushEx)},
                        {NVTX_CBID_CORE_RangePushA, Erase(RangePushA)},
                        {NVTX_CBID_CORE_RangePushW, Erase(RangePushW)},
                        {NVTX_CBID_CORE_RangePop, Erase(RangePop)}};
  const Entry core2[] = {
      {NVTX_CBID_CORE2_DomainMarkEx, Erase(DomainMarkEx)},
      {NVTX_CBID_CORE2_DomainRangeStartEx, Erase(DomainRangeStartEx)},
      {NVTX_CBID_CORE2_DomainRangeEnd, Erase(DomainRangeEnd)},
      {NVTX_CBID_CORE2_DomainRangePushEx, Erase(DomainRangePushEx)},
      {NVTX_CBID_CORE2_DomainRangePop, Erase(DomainRangePop)},
      {NVTX_CBID_CORE2_DomainRegisterStringA, Erase(DomainRegisterStringA)},
      {NVTX_CBID_CORE2_DomainRegisterStringW, Erase(DomainRegisterStringW)},
      {NVTX_CBID_CORE2_DomainCreateA, Erase(DomainCreateA)},
      {NVTX_CBID_CORE2_DomainCreateW, Erase(DomainCreateW)}};
  FillTable(callbacks, NVTX_CB_MODULE_CORE, core, sizeof(core) / sizeof(Entry));
  FillTable(callbacks, NVTX_CB_MODULE_CORE2, core2,
            sizeof(core2) / sizeof(Entry));
}

}  // namespace
}  // namespace dltap::shim

// 1: we are the tool of this process.
extern "C" [[gnu::visibility("default")]] int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_export_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(
      get_export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr ||
      callbacks->struct_size < sizeof(NvtxExportTableCallbacks)) {
    return 0;
  }
  dltap::shim::FillTables(*callbacks);
  return 1;
}
