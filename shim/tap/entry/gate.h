// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_GATE_H_
#define DLTAP_SHIM_TAP_ENTRY_GATE_H_

#include <cstddef>

#include "shim/tap/entry/loader_watch.h"
#include "shim/tap/runtime/process_page.h"

// The exported symbol of a recorded function: looks at the switch word, then
// jumps, to the real function while off, else to the wrapper's body
// (dltap_recorded_...). In assembly, since a compiler would move arguments that
// lie on the stack, 11 ns for the 19 of a GEMM; r11 is free at a call. Nothing
// is pushed, so the body sees the caller's return address and needs no
// unwinding through the gate. The body also resolves, when the loader has moved
// (loader_watch.h) or no real function is known. `jumps` is the condition under
// which recording or the cold path is due, after a comparison of the word.
#if defined(__x86_64__)
#define DLTAP_GATE_ASM(symbol, counter, test_word, jumps)      \
  asm(".pushsection .text." #symbol                            \
      ",\"ax\",@progbits\n"                                    \
      ".p2align 4\n"                                           \
      ".globl " #symbol                                        \
      "\n"                                                     \
      ".type " #symbol ", @function\n" #symbol                 \
      ":\n"                                                    \
      ".cfi_startproc\n"                                       \
      "endbr64\n"                                              \
      "movl dltap_process(%rip), %r11d\n" test_word "\n" jumps \
      " dltap_recorded_" #symbol                               \
      "\n"                                                     \
      "movq dltap_loader(%rip), %r11\n"                        \
      "movq (%r11), %r11\n"                                    \
      "cmpq dltap_loader+8(%rip), %r11\n"                      \
      "jne dltap_recorded_" #symbol                            \
      "\n"                                                     \
      "movq dltap_real+8*" #counter                            \
      "(%rip), %r11\n"                                         \
      "testq %r11, %r11\n"                                     \
      "je dltap_recorded_" #symbol                             \
      "\n"                                                     \
      "jmp *%r11\n"                                            \
      ".cfi_endproc\n"                                         \
      ".size " #symbol ", .-" #symbol                          \
      "\n"                                                     \
      ".popsection\n");
#else
#error "no gate for this processor"
#endif

// Off when paused or disabled: the word is 1 or 2.
#define DLTAP_GATE(symbol, counter) \
  DLTAP_GATE_ASM(symbol, counter, "decl %r11d\ncmpl $1, %r11d", "ja")

// With a hook, which also sees calls while paused: off only when disabled.
#define DLTAP_GATE_WITH_HOOK(symbol, counter) \
  DLTAP_GATE_ASM(symbol, counter, "cmpl $2, %r11d", "jne")

static_assert(dltap::shim::kPaused == 1 && dltap::shim::kDisabled == 2,
              "the gates compare with these");
static_assert(offsetof(dltap::shim::LoaderWatch, loads) == 0 &&
                  offsetof(dltap::shim::LoaderWatch, settled) == 8,
              "the gates compare the two");

#endif  // DLTAP_SHIM_TAP_ENTRY_GATE_H_
