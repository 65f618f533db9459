// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_FRAME_RULE_H_
#define DLTAP_SHIM_TAP_ENTRY_FRAME_RULE_H_

#include <cstdint>

namespace dltap::shim {

// How the frame of a function leads to its caller's, at one of its
// instructions: what `.eh_frame` says of it (DWARF call frame information, as
// the x86-64 psABI and the Linux Standard Base describe it), as far as a walk
// needs it, which follows the stack pointer and rbp only.
struct FrameRule {
  // The canonical frame address: register + offset, or what is stored there.
  bool cfa_from_bp = false;
  bool cfa_is_stored = false;
  int64_t cfa_offset = 0;
  // Where the caller's rbp is.
  enum class Bp : uint8_t { kSame, kAtCfa, kAtBp, kLost } bp = Bp::kSame;
  int64_t bp_offset = 0;
  bool is_outermost = false;   // no return address
  int64_t return_offset = -8;  // from the CFA
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_FRAME_RULE_H_
