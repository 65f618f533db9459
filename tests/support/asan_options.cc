// SPDX-License-Identifier: Apache-2.0
// Linked into test programs under AddressSanitizer. What lives as long as the
// process (registered kernels, devices, configuration) is never freed: entry
// points may run after static destructors. Leaks are therefore not looked for.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
