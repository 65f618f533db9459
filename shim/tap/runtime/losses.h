// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_LOSSES_H_
#define DLTAP_SHIM_TAP_RUNTIME_LOSSES_H_

#include <atomic>
#include <cstdint>

#include "shim/trace/losses.h"

namespace dltap::shim {

// Counts a way in which the trace of this process lacks something. Any thread,
// also a signal handler.
void CountLoss(trace::LossKind kind, uint64_t count = 1);

// Total so far.
uint64_t LossCount(trace::LossKind kind);

// For tests. A forked child has its own account.
void ResetLosses();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_LOSSES_H_
