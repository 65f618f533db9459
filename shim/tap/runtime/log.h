// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_LOG_H_
#define DLTAP_SHIM_TAP_RUNTIME_LOG_H_

#include <cstdint>

namespace dltap::shim {

enum class LogLevel : uint8_t {
  kOff = 0,
  kError = 1,
  kWarning = 2,
  kInfo = 3,
  kDebug = 4,
};

// Messages up to this level are written. Default kWarning.
void SetLogLevel(LogLevel level);
LogLevel CurrentLogLevel();

// One line "dltap: message" on stderr by a single write(2); at most 512 bytes,
// cut if longer. No allocation, no stdio stream; keeps errno. The collector
// writes it at once. From any other thread it waits for the collector, in one
// of a few places; it is dropped when all are taken. Nothing is written when
// stderr is no longer the file that it was at load, or takes nothing now.
[[gnu::cold, gnu::format(printf, 2, 3)]] void Log(LogLevel level,
                                                  const char* format, ...);

// ---- Collector

// Writes the lines of other threads.
void WriteWaitingLines();

// ---- The end of a process that never had a collector

// The same; no signal comes of it.
void WriteWaitingLinesAtExit();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_LOG_H_
