// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_SESSION_DEFINITIONS_H_
#define DLTAP_SHIM_TAP_RUNTIME_SESSION_DEFINITIONS_H_

#include <cstdint>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/config.h"
#include "shim/tap/runtime/process_info.h"

namespace dltap::shim {

// Writes what must be in a trace before its first call: the process, its clock
// and every entry point with its argument layout. `first` and `second` are two
// readings some time apart.
void WriteSessionDefinitions(const ProcessInfo& process, const Config& config,
                             const ClockReading& first,
                             const ClockReading& second);

void WriteAnchor(const ClockReading& reading);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_SESSION_DEFINITIONS_H_
