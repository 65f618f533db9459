// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/session_state.h"

#include "shim/tap/runtime/process_page.h"

namespace dltap::shim {
namespace {

constinit uint32_t g_last_session = kFirstSession - 1;
constinit Config g_config;

}  // namespace

const Config& SessionConfig() { return g_config; }

void SetSessionConfig(const Config& config) { g_config = config; }

uint32_t SessionNumber() {
  const uint32_t word = g_process.word.load(std::memory_order_acquire);
  if (word >= kFirstSession) return word;
  return word == kPaused ? g_last_session : 0;
}

uint32_t LastSession() { return g_last_session; }

uint32_t NextSession() { return ++g_last_session; }

void StopRecording() {
  g_process.word.store(kDisabled, std::memory_order_release);
}

}  // namespace dltap::shim
