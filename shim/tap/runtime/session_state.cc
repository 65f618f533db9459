// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/session_state.h"

#include "shim/tap/runtime/process_page.h"

namespace dltap::shim {
namespace {

constinit uint32_t g_last_session = kFirstSession - 1;
constinit std::atomic<uint32_t> g_epoch{0};
constinit Config g_config;

}  // namespace

const Config& SessionConfig() { return g_config; }

void SetSessionConfig(const Config& config) { g_config = config; }

uint32_t SessionNumber() {
  const uint32_t word = g_process.word.load(std::memory_order_acquire);
  if (word >= kFirstSession) return word;
  if (word == kPaused) return g_last_session;
  return g_process.ended_session.load(std::memory_order_acquire);
}

bool SessionHasEnded() {
  return g_process.ended_session.load(std::memory_order_acquire) != 0;
}

uint32_t LastSession() { return g_last_session; }

uint32_t NextSession() { return ++g_last_session; }

uint32_t DefinitionEpoch() {
  return SessionNumber() == 0 ? 0 : g_epoch.load(std::memory_order_acquire);
}

void NewDefinitionEpoch() { g_epoch.fetch_add(1, std::memory_order_acq_rel); }

void StopRecording() {
  g_process.ended_session.store(g_last_session, std::memory_order_release);
  g_process.word.store(kDisabled, std::memory_order_release);
}

}  // namespace dltap::shim
