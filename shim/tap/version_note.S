// SPDX-License-Identifier: Apache-2.0
// The version of libdltap.so as an ELF note, which `dltap --version` and
// `readelf -n` read without loading it.
  .section .note.dltap, "a", @note
  .balign 4
  .long 6            // size of the owner's name
  .long 1f - 0f      // size of the text
  .long 1            // the only kind that there is
  .asciz "dltap"
  .balign 4
0:
  .asciz DLTAP_VERSION
1:
  .balign 4
  .section .note.GNU-stack, "", @progbits
