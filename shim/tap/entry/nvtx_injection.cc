// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include "shim/tap/entry/nvtx_ranges.h"
#include "shim/tap/entry/tsl_annotations.h"
#include "shim/tap/runtime/log.h"
#include "shim/tap/runtime/process_page.h"

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

// The functions of the tool that was there before us, by id; null: none.
using AnyFunction = void (*)();
constexpr int kMostIds = 32;
constinit std::atomic<AnyFunction> g_next_core[kMostIds];
constinit std::atomic<AnyFunction> g_next_core2[kMostIds];
constinit std::atomic<bool> g_has_next{false};

// What the other tool answers, else `otherwise`.
template <typename Result, typename... Args>
Result Next(const std::atomic<AnyFunction>& next, Result otherwise,
            Args... args) {
  const auto function = reinterpret_cast<Result (*)(Args...)>(
      next.load(std::memory_order_relaxed));
  return function != nullptr ? function(args...) : otherwise;
}

#define DLTAP_CORE(id) g_next_core[NVTX_CBID_CORE_##id]
#define DLTAP_CORE2(id) g_next_core2[NVTX_CBID_CORE2_##id]

// A tool's function without a result.
template <typename... Args>
void NextVoid(const std::atomic<AnyFunction>& next, Args... args) {
  const auto function =
      reinterpret_cast<void (*)(Args...)>(next.load(std::memory_order_relaxed));
  if (function != nullptr) function(args...);
}

Name* AsName(nvtxDomainHandle_t domain) { return nvtx::OfHandle(domain); }

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
  NextVoid(DLTAP_CORE(MarkEx), attributes);
}
void MarkA(const char* text) {
  nvtx::Mark(Text(text));
  NextVoid(DLTAP_CORE(MarkA), text);
}
void MarkW(const wchar_t* text) {
  nvtx::Mark(Text(text));
  NextVoid(DLTAP_CORE(MarkW), text);
}

// A range has the other tool's id, if there is one: the program ends it by
// that.
nvtxRangeId_t Begun(const Event& event, nvtxRangeId_t next) {
  return nvtx::StartRange(event, next);
}
nvtxRangeId_t RangeStartEx(const nvtxEventAttributes_t* attributes) {
  return Begun(FromAttributes(nullptr, attributes),
               Next(DLTAP_CORE(RangeStartEx), nvtxRangeId_t{0}, attributes));
}
nvtxRangeId_t RangeStartA(const char* text) {
  return Begun(Text(text),
               Next(DLTAP_CORE(RangeStartA), nvtxRangeId_t{0}, text));
}
nvtxRangeId_t RangeStartW(const wchar_t* text) {
  return Begun(Text(text),
               Next(DLTAP_CORE(RangeStartW), nvtxRangeId_t{0}, text));
}
void RangeEnd(nvtxRangeId_t id) {
  nvtx::EndRange(nullptr, id);
  NextVoid(DLTAP_CORE(RangeEnd), id);
}

int RangePushEx(const nvtxEventAttributes_t* attributes) {
  nvtx::Push(FromAttributes(nullptr, attributes));
  return Next(DLTAP_CORE(RangePushEx), kNoTracking, attributes);
}
int RangePushA(const char* text) {
  nvtx::Push(Text(text));
  return Next(DLTAP_CORE(RangePushA), kNoTracking, text);
}
int RangePushW(const wchar_t* text) {
  nvtx::Push(Text(text));
  return Next(DLTAP_CORE(RangePushW), kNoTracking, text);
}
int RangePop() {
  nvtx::Pop(nullptr);
  return Next(DLTAP_CORE(RangePop), kNoTracking);
}

void DomainMarkEx(nvtxDomainHandle_t domain,
                  const nvtxEventAttributes_t* attributes) {
  nvtx::Mark(FromAttributes(AsName(domain), attributes));
  NextVoid(DLTAP_CORE2(DomainMarkEx), domain, attributes);
}
nvtxRangeId_t DomainRangeStartEx(nvtxDomainHandle_t domain,
                                 const nvtxEventAttributes_t* attributes) {
  return Begun(FromAttributes(AsName(domain), attributes),
               Next(DLTAP_CORE2(DomainRangeStartEx), nvtxRangeId_t{0}, domain,
                    attributes));
}
void DomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  nvtx::EndRange(AsName(domain), id);
  NextVoid(DLTAP_CORE2(DomainRangeEnd), domain, id);
}
int DomainRangePushEx(nvtxDomainHandle_t domain,
                      const nvtxEventAttributes_t* attributes) {
  nvtx::Push(FromAttributes(AsName(domain), attributes));
  return Next(DLTAP_CORE2(DomainRangePushEx), kNoTracking, domain, attributes);
}
int DomainRangePop(nvtxDomainHandle_t domain) {
  nvtx::Pop(AsName(domain));
  return Next(DLTAP_CORE2(DomainRangePop), kNoTracking, domain);
}

// The program's handle is the other tool's, also if that gives none: it would
// not know ours, in functions that are not even wrapped.
template <typename Handle>
Handle Named(Handle next, Name* name) {
  if (!g_has_next.load(std::memory_order_relaxed)) {
    return reinterpret_cast<Handle>(name);
  }
  nvtx::KnowHandle(next, name);
  return next;
}
nvtxStringHandle_t DomainRegisterStringA(nvtxDomainHandle_t domain,
                                         const char* text) {
  return Named(Next(DLTAP_CORE2(DomainRegisterStringA), nvtxStringHandle_t{},
                    domain, text),
               nvtx::Keep(text));
}
nvtxStringHandle_t DomainRegisterStringW(nvtxDomainHandle_t domain,
                                         const wchar_t* text) {
  return Named(Next(DLTAP_CORE2(DomainRegisterStringW), nvtxStringHandle_t{},
                    domain, text),
               nvtx::KeepWide(text));
}
nvtxDomainHandle_t DomainCreateA(const char* name) {
  Name* domain = nvtx::KeepDomain(name);
  if (nvtx::TurnOnAnnotations(name, __builtin_return_address(0))) {
    nvtx::LeaveOutEmptyRanges(domain);
  }
  return Named(Next(DLTAP_CORE2(DomainCreateA), nvtxDomainHandle_t{}, name),
               domain);
}
nvtxDomainHandle_t DomainCreateW(const wchar_t* name) {
  return Named(Next(DLTAP_CORE2(DomainCreateW), nvtxDomainHandle_t{}, name),
               nvtx::KeepDomainWide(name));
}

#undef DLTAP_CORE2
#undef DLTAP_CORE

struct Entry {
  unsigned id;
  AnyFunction function;
};

template <typename Function>
AnyFunction Erase(Function* function) {
  return reinterpret_cast<AnyFunction>(function);
}

[[gnu::section("dltap_at_load")]] Entry g_core[] = {
    {NVTX_CBID_CORE_MarkEx, Erase(MarkEx)},
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
[[gnu::section("dltap_at_load")]] Entry g_core2[] = {
    {NVTX_CBID_CORE2_DomainMarkEx, Erase(DomainMarkEx)},
    {NVTX_CBID_CORE2_DomainRangeStartEx, Erase(DomainRangeStartEx)},
    {NVTX_CBID_CORE2_DomainRangeEnd, Erase(DomainRangeEnd)},
    {NVTX_CBID_CORE2_DomainRangePushEx, Erase(DomainRangePushEx)},
    {NVTX_CBID_CORE2_DomainRangePop, Erase(DomainRangePop)},
    {NVTX_CBID_CORE2_DomainRegisterStringA, Erase(DomainRegisterStringA)},
    {NVTX_CBID_CORE2_DomainRegisterStringW, Erase(DomainRegisterStringW)},
    {NVTX_CBID_CORE2_DomainCreateA, Erase(DomainCreateA)},
    {NVTX_CBID_CORE2_DomainCreateW, Erase(DomainCreateW)}};

// One module of the client's table. Older programs have shorter ones.
class Slots {
 public:
  Slots(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module) {
    if (callbacks.GetModuleFunctionTable(module, &table_, &size_) == 0) {
      size_ = 0;
    }
    if (size_ > kMostIds) size_ = kMostIds;
    for (unsigned id = 0; id < size_; ++id) before_[id] = *At(id);
  }

  // A slot that has changed is another tool's; any other holds what would
  // start all this over.
  template <int kEntries>
  void Fill(const Entry (&entries)[kEntries], std::atomic<AnyFunction>* next) {
    for (const Entry& entry : entries) {
      if (entry.id >= size_ || table_[entry.id] == nullptr) continue;
      AnyFunction* slot = At(entry.id);
      if (*slot != before_[entry.id]) {
        next[entry.id].store(*slot, std::memory_order_relaxed);
      }
      *slot = entry.function;
    }
  }

 private:
  AnyFunction* At(unsigned id) { return table_[id] ? table_[id] : &nothing_; }

  NvtxFunctionTable table_ = nullptr;
  unsigned size_ = 0;
  AnyFunction before_[kMostIds] = {};
  AnyFunction nothing_ = nullptr;
};

// The tool that the user asked for, which `dltap run` hands on: it fills the
// table first. False: there is none, or it refuses.
bool InitializeNext(NvtxGetExportTableFunc_t get_export_table) {
  const char* path = getenv("DLTAP_NVTX_NEXT");
  if (path == nullptr || *path == '\0') return false;
  void* tool = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (tool == nullptr) {
    Log(LogLevel::kWarning, "%s is no NVTX tool: %s", path, dlerror());
    return false;
  }
  const auto initialize = reinterpret_cast<NvtxInitializeInjectionNvtxFunc_t>(
      dlsym(tool, "InitializeInjectionNvtx2"));
  return initialize != nullptr && initialize(get_export_table) != 0;
}

}  // namespace
}  // namespace dltap::shim

// 1: the process has a tool, us or the next one.
extern "C" [[gnu::visibility("default")]] int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_export_table) {
  using namespace dltap::shim;
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(
      get_export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr ||
      callbacks->struct_size < sizeof(NvtxExportTableCallbacks)) {
    return InitializeNext(get_export_table) ? 1 : 0;
  }
  Slots core(*callbacks, NVTX_CB_MODULE_CORE);
  Slots core2(*callbacks, NVTX_CB_MODULE_CORE2);
  const bool has_next = InitializeNext(get_export_table);
  if (has_next) g_has_next.store(true, std::memory_order_relaxed);
  if (g_process.word.load(std::memory_order_relaxed) == kDisabled) {
    return has_next ? 1 : 0;
  }
  core.Fill(g_core, g_next_core);
  core2.Fill(g_core2, g_next_core2);
  return 1;
}
