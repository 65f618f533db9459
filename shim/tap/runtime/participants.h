// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_PARTICIPANTS_H_
#define DLTAP_SHIM_TAP_RUNTIME_PARTICIPANTS_H_

#include <cstdint>
#include <span>

#include "shim/trace/layout.h"

namespace dltap::shim {

// What takes part in the collector's work, registered by its owner at load;
// each function may be null. All run on the collector.
struct CollectorParticipant {
  // Once, at its begin: definitions may be written now.
  void (*start)() = nullptr;
  // Each pass, before rings and definitions are drained.
  void (*pass)() = nullptr;
  // Slots about to be written, in order, per thread.
  void (*observe)(std::span<const trace::CallSlot> slots,
                  uint32_t thread_index) = nullptr;
  // The process exits: hand over what is left. Then the vendor's own exit
  // handlers run and its libraries may not be called again: no pass follows. If
  // a call took long, nothing is asked after it unless `is_awaited()`: the
  // thread that exits waits for a while only.
  void (*exit)(bool (*is_awaited)()) = nullptr;
  // The trace has ended before the process: nothing is written any more. Give
  // the vendor back what was asked for. The last call.
  void (*stop)() = nullptr;
  // Definitions of old ids have been dropped from a bounded trace: define what
  // later records name again, under new ids.
  void (*forget)() = nullptr;
};
void AddParticipant(const CollectorParticipant& participant);

// ---- Collector
void StartParticipants();
void PassParticipants();
void ObserveSlots(std::span<const trace::CallSlot> slots,
                  uint32_t thread_index);
void ExitParticipants(bool (*is_awaited)());
void StopParticipants();
void ForgetDefinitions();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_PARTICIPANTS_H_
