// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_FRAME_RULES_H_
#define DLTAP_SHIM_TAP_ENTRY_FRAME_RULES_H_

#include <cstdint>

#include "shim/tap/entry/frame_rule.h"
#include "shim/tap/entry/memory_view.h"

namespace dltap::shim {

// Of the code at `pc`. `header` is the address of its object's .eh_frame_hdr,
// and [begin, end) where the object lies. False: nothing tells, or it is told
// in a way that is not understood.
struct UnwindTable {
  uintptr_t header;
  uintptr_t begin;
  uintptr_t end;
};
bool FindFrameRule(MemoryView& memory, const UnwindTable& table, uintptr_t pc,
                   FrameRule* rule);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_FRAME_RULES_H_
