// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_PARTICIPANTS_H_
#define DLTAP_SHIM_TAP_RUNTIME_PARTICIPANTS_H_

#include <cstdint>
#include <span>

#include "shim/trace/layout.h"

// The collector's calls of those who registered with AddParticipant().
namespace dltap::shim {

void StartParticipants();
void PassParticipants();
void ObserveSlots(std::span<const trace::CallSlot> slots,
                  uint32_t thread_index);
void ExitParticipants(uint64_t deadline_ns);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_PARTICIPANTS_H_
