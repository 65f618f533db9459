// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_DRAIN_H_
#define DLTAP_SHIM_TAP_RUNTIME_DRAIN_H_

#include <cstdint>

#include "shim/tap/runtime/thread_buffers.h"

// Empties the rings into the data file. Collector only.
namespace dltap::shim {

// Notes how far each ring is committed. Definitions drained after this explain
// everything that DrainRings() will write.
void SnapshotRings();

// Writes the slots up to the snapshot; buffers of ended threads are recycled.
void DrainRings();

// Clears the pointer arguments of recorded calls (DLTAP_POINTERS=0).
void ClearPointers(trace::CallSlot* slots, uint64_t count);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_DRAIN_H_
