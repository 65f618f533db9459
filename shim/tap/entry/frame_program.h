// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_FRAME_PROGRAM_H_
#define DLTAP_SHIM_TAP_ENTRY_FRAME_PROGRAM_H_

#include <cstdint>

#include "shim/tap/entry/byte_cursor.h"
#include "shim/tap/entry/frame_rule.h"

namespace dltap::shim {

// What several functions' entries have in common.
struct Cie {
  uint64_t code_align = 1;
  int64_t data_align = 1;
  uint8_t pointer_encoding = 0;
  bool has_augmentation = false;
  bool is_signal = false;
  ByteCursor program;
};

// Goes through the call frame instructions of a function that begins at
// `begin`, as far as they hold at `pc`. False: they are not understood.
bool RunFramePrograms(const Cie& cie, ByteCursor of_function, uintptr_t begin,
                      uintptr_t pc, FrameRule* rule);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_FRAME_PROGRAM_H_
