// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_NVTX_HOOKS_H_
#define DLTAP_SHIM_TAP_ENTRY_NVTX_HOOKS_H_

#include <cstdint>
#include <cwchar>

#include "shim/tap/entry/nvtx_ranges.h"

// Hooks that only write into the calling thread's ring (see
// shim/tap/entry/hook_call.h for what a hook is): the exported NVTX functions,
// which programs with the older libnvToolsExt.so.1 call.
namespace dltap::shim::hooks {

struct NvtxPush {
  static void Before(const void* text) {
    nvtx::Event event;
    event.text = static_cast<const char*>(text);
    nvtx::Push(event);
  }
};
struct NvtxPushWide {
  static void Before(const void* text) {
    nvtx::Event event;
    event.wide_text = static_cast<const wchar_t*>(text);
    nvtx::Push(event);
  }
};
struct NvtxPushEx {
  static void Before(const void* attributes) {
    nvtx::Push(nvtx::FromAttributes(nullptr, attributes));
  }
};
struct NvtxPop {
  static void Before() { nvtx::Pop(nullptr); }
};
struct NvtxMark {
  static void Before(const void* text) {
    nvtx::Event event;
    event.text = static_cast<const char*>(text);
    nvtx::Mark(event);
  }
};
struct NvtxMarkEx {
  static void Before(const void* attributes) {
    nvtx::Mark(nvtx::FromAttributes(nullptr, attributes));
  }
};
// The library's handle stays the program's; without a tool it is null.
struct NvtxRegister {
  static void After(void* handle, const void* text) {
    if (handle == nullptr) return;
    nvtx::KnowHandle(handle, nvtx::Keep(static_cast<const char*>(text)));
  }
};
struct NvtxRegisterWide {
  static void After(void* handle, const void* text) {
    if (handle == nullptr) return;
    nvtx::KnowHandle(handle, nvtx::KeepWide(static_cast<const wchar_t*>(text)));
  }
};
struct NvtxDomainCreate {
  static void After(void* handle, const void* name) {
    if (handle == nullptr) return;
    nvtx::KnowHandle(handle, nvtx::KeepDomain(static_cast<const char*>(name)));
  }
};
struct NvtxDomainCreateWide {
  static void After(void* handle, const void* name) {
    if (handle == nullptr) return;
    nvtx::KnowHandle(handle,
                     nvtx::KeepDomainWide(static_cast<const wchar_t*>(name)));
  }
};
struct NvtxDomainPushEx {
  static void Before(void* domain, const void* attributes) {
    nvtx::Push(nvtx::FromAttributes(nvtx::OfHandle(domain), attributes));
  }
};
struct NvtxDomainPop {
  static void Before(void* domain) { nvtx::Pop(nvtx::OfHandle(domain)); }
};

}  // namespace dltap::shim::hooks

#endif  // DLTAP_SHIM_TAP_ENTRY_NVTX_HOOKS_H_
