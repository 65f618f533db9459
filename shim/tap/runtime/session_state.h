// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_SESSION_STATE_H_
#define DLTAP_SHIM_TAP_RUNTIME_SESSION_STATE_H_

#include <cstdint>

#include "shim/tap/runtime/config.h"

// What every part of the runtime may ask of the session. session.cc sets it.
namespace dltap::shim {

// The configuration of this process, once it has been read.
const Config& SessionConfig();
void SetSessionConfig(const Config& config);

// Number of the running or paused session, 0 without one.
uint32_t SessionNumber();

// Number of the last session that was opened, here or before a fork, so that
// the next one differs from what the threads' states hold.
uint32_t LastSession();
uint32_t NextSession();

// Stops for good: after a write error, at the size limit. Never blocks.
void StopRecording();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_SESSION_STATE_H_
