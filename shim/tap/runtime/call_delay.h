// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_CALL_DELAY_H_
#define DLTAP_SHIM_TAP_RUNTIME_CALL_DELAY_H_

#include "vocabulary.h"

// Delays before library calls, on request (DLTAP_DELAYS): windows without and
// with a delay alternate, of one class of calls and one length at a time. How
// much longer the steps get tells how much of the host's time they show.
//
// The state lies in the ProcessPage, so a forked child has none.
namespace dltap::shim {

// ---- Any thread

// Notes that a call of the class is about to be made, and waits for as long as
// the delay in force says: a busy loop on the session's clock, no system call.
// False: none for this class.
bool WaitDelay(specs::LayerClass layer_class);

// False while activities are not wanted, so that calls with and without their
// recording can be compared.
bool WantsActivities();

// ---- At load

// Takes part in the collector's passes, before the activity source does.
void ScheduleDelays();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_CALL_DELAY_H_
