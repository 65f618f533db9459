// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_SESSION_OPENING_H_
#define DLTAP_SHIM_TAP_RUNTIME_SESSION_OPENING_H_

namespace dltap::shim {

// Creates files and rings and writes the first definitions, so that whatever is
// recorded is already explained. False: nothing can be recorded; stderr was
// told why. Collector only.
bool OpenSession();

// Calls are recorded from now on, unless recording begins paused or the process
// is ending. Collector only.
void BeginRecording();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_SESSION_OPENING_H_
