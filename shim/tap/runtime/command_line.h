// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_COMMAND_LINE_H_
#define DLTAP_SHIM_TAP_RUNTIME_COMMAND_LINE_H_

#include <cstdint>

namespace dltap::shim {

inline constexpr uint32_t kMaxCommandBytes = 8 << 10;

// Writes the program's arguments into the trace, cut at kMaxCommandBytes.
// Collector only: it reads a file.
void WriteCommandLine();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_COMMAND_LINE_H_
