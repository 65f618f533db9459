// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/session_opening.h"

#include <cstring>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/command_line.h"
#include "shim/tap/runtime/environment.h"
#include "shim/tap/runtime/log.h"
#include "shim/tap/runtime/process_info.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/session_definitions.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/thread_buffers.h"
#include "shim/tap/runtime/totals.h"
#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {
namespace {

// The configuration was read where nothing may be written to stderr.
void WarnOfVariables() {
  ParseConfig(SessionEnvironment(), false,
              [](const char* line) { Log(LogLevel::kWarning, "%s", line); });
}

trace::FileHeader HeaderOf(const ProcessInfo& process,
                           const ClockReading& reading) {
  trace::FileHeader header = {};
  header.pid = process.pid;
  header.start_realtime_ns = static_cast<int64_t>(reading.realtime_ns);
  const auto clock = g_process.clock.load(std::memory_order_relaxed);
  header.clock = static_cast<uint8_t>(clock + 1);
  header.process_start_time = process.start_time;
  memcpy(header.boot_id, process.boot_id, sizeof(header.boot_id));
  return header;
}

}  // namespace

bool OpenSession() {
  WarnOfVariables();
  CheckCycleCounter();
  const ClockReading first = ReadClocks();
  const ProcessInfo process = ReadProcessInfo();
  ResetTotals();
  NewDefinitionEpoch();
  if (!g_output.Open(SessionConfig(), process, HeaderOf(process, first))) {
    return false;
  }
  if (!g_buffers.Reset(&g_output.ring_file()) || !g_buffers.PrepareFirst()) {
    Log(LogLevel::kError, "no memory for rings; tracing is off");
    return false;
  }
  WriteSessionDefinitions(process, SessionConfig(), first, ReadClocks());
  WriteCommandLine();
  g_output.Flush();
  return g_output.is_writable();
}

void BeginRecording() {
  const uint32_t number = NextSession();
  const bool is_paused =
      SessionConfig().start_paused &&
      g_process.window_is_open.load(std::memory_order_acquire) == 0;
  uint32_t idle = kIdle;
  g_process.word.compare_exchange_strong(idle, is_paused ? kPaused : number,
                                         std::memory_order_acq_rel);
  if (SessionHasEnded()) StopRecording();  // its first writes failed
}

}  // namespace dltap::shim
