// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_TOTALS_H_
#define DLTAP_SHIM_TAP_RUNTIME_TOTALS_H_

#include <cstdint>

#include "shim/tap/runtime/thread_buffers.h"

// Cumulative figures of the session: calls that are only counted, losses, our
// own cost. Collector only.
namespace dltap::shim {

void ResetTotals();

// Keeps the counts of a thread whose buffer is about to be reused.
void AddEndedThread(const ThreadBuffer& buffer);

// So many call records have been written.
void CountWritten(uint64_t calls);

// What a recorded call adds, as measured, over all that were recorded.
uint64_t CallsWritten();
uint64_t CallCostNs();

// Writes what has changed since the last time; everything when `final`.
void WriteTotals(bool final);

// Times the pieces of a recorded call on a ring of its own: the least it may
// cost, for the report to subtract until enough calls have been timed.
void MeasureCallCost();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_TOTALS_H_
