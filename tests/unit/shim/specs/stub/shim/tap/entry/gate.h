// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_SHIM_SPECS_STUB_SHIM_TAP_ENTRY_GATE_H_
#define DLTAP_TESTS_UNIT_SHIM_SPECS_STUB_SHIM_TAP_ENTRY_GATE_H_

// Always recording: the exported symbol is the wrapper's body.
#define DLTAP_GATE(symbol, counter) \
  asm(".globl " #symbol             \
      "\n"                          \
      ".set " #symbol ", dltap_recorded_" #symbol "\n");
#define DLTAP_GATE_WITH_HOOK(symbol, counter) DLTAP_GATE(symbol, counter)

#endif  // DLTAP_TESTS_UNIT_SHIM_SPECS_STUB_SHIM_TAP_ENTRY_GATE_H_
