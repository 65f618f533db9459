// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/participants.h"

#include "shim/tap/runtime/collector_requests.h"

namespace dltap::shim {
namespace {

constexpr int kMaxParticipants = 12;

[[gnu::section("dltap_at_load")]] constinit CollectorParticipant
    g_participants[kMaxParticipants];
[[gnu::section("dltap_at_load")]] constinit int g_participant_count = 0;

template <typename Function>
void ForEach(Function function) {
  for (int i = 0; i < g_participant_count; ++i) function(g_participants[i]);
}

// Start, pass, exit and stop may call the vendor and the loader.
template <typename Function>
void ForEachForeign(Function function) {
  NoteForeignCode(true);
  ForEach(function);
  NoteForeignCode(false);
}

}  // namespace

void AddParticipant(const CollectorParticipant& participant) {
  if (g_participant_count < kMaxParticipants) {
    g_participants[g_participant_count++] = participant;
  }
}

void StartParticipants() {
  ForEachForeign([](const CollectorParticipant& participant) {
    if (participant.start != nullptr) participant.start();
  });
}

void PassParticipants() {
  ForEachForeign([](const CollectorParticipant& participant) {
    if (participant.pass != nullptr) participant.pass();
  });
}

void ObserveSlots(std::span<const trace::CallSlot> slots,
                  uint32_t thread_index) {
  ForEach([&](const CollectorParticipant& participant) {
    if (participant.observe != nullptr) {
      participant.observe(slots, thread_index);
    }
  });
}

void ExitParticipants(bool (*is_awaited)()) {
  ForEachForeign([&](const CollectorParticipant& participant) {
    if (participant.exit != nullptr) participant.exit(is_awaited);
  });
}

void StopParticipants() {
  ForEachForeign([](const CollectorParticipant& participant) {
    if (participant.stop != nullptr) participant.stop();
  });
}

void ForgetDefinitions() {
  ForEach([](const CollectorParticipant& participant) {
    if (participant.forget != nullptr) participant.forget();
  });
}

}  // namespace dltap::shim
