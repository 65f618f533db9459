// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_NVTX_RANGES_H_
#define DLTAP_SHIM_TAP_ENTRY_NVTX_RANGES_H_

#include <cstdint>
#include <cwchar>

#include "shim/tap/entry/nvtx_names.h"
#include "shim/trace/layout.h"

// NVTX, however it reaches us: ranges and marks become special slots of the
// calling thread's ring. Any thread, also before the session: then only names
// are kept (nvtx_names.h).
namespace dltap::shim::nvtx {

// What an event says. Texts are borrowed for the call.
struct Event {
  const char* text = nullptr;
  const wchar_t* wide_text = nullptr;
  Name* registered = nullptr;
  Name* domain = nullptr;  // nullptr: the default domain
  uint32_t category = 0;
  uint32_t colour = 0;
  // nvtxPayloadData_t, the first; nullptr: none.
  const void* payload = nullptr;
};

// From nvtxEventAttributes_t of any version; nullptr gives an empty event.
Event FromAttributes(Name* domain, const void* attributes);

// From now on, ranges of plain text in `domain` in which the thread records
// nothing are left out: a framework opens one around each operation, and a
// third of those call nothing. The first such domain only.
void LeaveOutEmptyRanges(Name* domain);

void Push(const Event& event);
void Pop(Name* domain);
void Mark(const Event& event);
// The range's id: `id`, or, if that is 0, a new one.
uint64_t StartRange(const Event& event, uint64_t id);
void EndRange(Name* domain, uint64_t range_id);

}  // namespace dltap::shim::nvtx

#endif  // DLTAP_SHIM_TAP_ENTRY_NVTX_RANGES_H_
