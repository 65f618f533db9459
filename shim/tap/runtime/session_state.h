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

// Number of the session that records, is paused or has ended early; 0 without
// one.
uint32_t SessionNumber();

// Its trace has ended before the process, at the size limit or after a write
// error: nothing is recorded any more, the collector sleeps.
bool SessionHasEnded();

// Number of the last session that was opened, here or before a fork, so that
// the next one differs from what the threads' states hold.
uint32_t LastSession();
uint32_t NextSession();

// Definitions written in one epoch hold for later records of it. A new one
// begins with a session, and when a bounded trace has dropped old definitions.
// 0 without a session.
uint32_t DefinitionEpoch();
void NewDefinitionEpoch();

// Ends the session for good. Never blocks.
void StopRecording();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_SESSION_STATE_H_
