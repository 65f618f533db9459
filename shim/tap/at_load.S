// SPDX-License-Identifier: Apache-2.0
// First of what the linker gets, so that the section of the variables which are
// written at load begins with a page: each page costs every process a fault.
  .section dltap_at_load, "awR", @progbits
  .balign 4096
  .quad 0
  .section .note.GNU-stack, "", @progbits
