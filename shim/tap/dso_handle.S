// SPDX-License-Identifier: Apache-2.0
// By what the C library knows this object, for handlers of fork. Instead of
// gcc's start files, whose functions cost each process that loads us four page
// faults and do nothing here: constructors and destructors are in arrays, and
// nothing is ever unloaded.
  .section dltap_at_load, "aw", @progbits
  .balign 8
  .globl __dso_handle
  .hidden __dso_handle
__dso_handle:
  .quad __dso_handle
  .section .note.GNU-stack, "", @progbits
