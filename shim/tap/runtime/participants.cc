// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/participants.h"

namespace dltap::shim {
namespace {

constexpr int kMaxParticipants = 12;

constinit CollectorParticipant g_participants[kMaxParticipants];
constinit int g_participant_count = 0;

template <typename Function>
void ForEach(Function function) {
  for (int i = 0; i < g_participant_count; ++i) function(g_participants[i]);
}

}  // namespace

void AddParticipant(const CollectorParticipant& participant) {
  if (g_participant_count < kMaxParticipants) {
    g_participants[g_participant_count++] = participant;
  }
}

void StartParticipants() {
  ForEach([](const CollectorParticipant& participant) {
    if (participant.start != nullptr) participant.start();
  });
}

void PassParticipants() {
  ForEach([](const CollectorParticipant& participant) {
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

void ExitParticipants(uint64_t deadline_ns) {
  ForEach([&](const CollectorParticipant& participant) {
    if (participant.exit != nullptr) participant.exit(deadline_ns);
  });
}

}  // namespace dltap::shim
