// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_CONFIG_H_
#define DLTAP_SHIM_TAP_RUNTIME_CONFIG_H_

#include <cstdint>

#include "shim/tap/runtime/environment.h"
#include "shim/tap/runtime/log.h"
#include "shim/tap/runtime/process_page.h"

namespace dltap::shim {

// How much is recorded (docs/design.md section 3, "Levels").
enum class Level : uint8_t { kHost = 1, kKernels = 2 };

// Which path to a call is recorded with it.
enum class Sites : uint8_t { kOff = 0, kNative = 1, kPython = 2 };

// What happens when the data file has reached its size.
enum class SizePolicy : uint8_t { kStop = 1, kRing = 2 };

inline constexpr int kMaxPathBytes = 1024;
inline constexpr int kMaxRangeBytes = 128;
inline constexpr int kMaxDelays = 8;  // one less can be asked for

// The tap's configuration: the environment, nothing else. Plain data, so that a
// forked child can read its own.
struct Config {
  bool disabled = false;                      // DLTAP_DISABLE
  bool start_paused = false;                  // DLTAP_START=off
  bool pointers = true;                       // DLTAP_POINTERS
  bool tensorflow_names = false;              // DLTAP_TF_NAMES
  Level level = Level::kKernels;              // DLTAP_LEVEL
  SizePolicy policy = SizePolicy::kRing;      // DLTAP_MAX_MB=N:stop
  bool switches = true;                       // DLTAP_SWITCHES
  bool frames = true;                         // DLTAP_FRAMES
  Sites sites = Sites::kOff;                  // DLTAP_SITES
  ClockKind clock = ClockKind::kTsc;          // DLTAP_CLOCK
  LogLevel log = LogLevel::kWarning;          // DLTAP_LOG
  uint64_t max_bytes = uint64_t{2048} << 20;  // DLTAP_MAX_MB
  uint32_t delays_us[kMaxDelays] = {};        // DLTAP_DELAYS; ends with a 0
  uint32_t delay_window_ms = 500;             // DLTAP_DELAY_WINDOW_MS
  uint32_t delay_s = 0;                       // DLTAP_DELAY_S
  uint32_t duration_s = 0;                    // DLTAP_DURATION_S; 0: to the end
  uint32_t step_down_percent = 1;             // DLTAP_STEP_DOWN=P:S; 0: never
  uint32_t step_down_s = 60;                  // measured over so many seconds
  char range[kMaxRangeBytes] = {};            // DLTAP_RANGE; empty: none
  char output[kMaxPathBytes] = {};            // DLTAP_OUTPUT; empty: default
};

// Receives one line for each value that is not understood and each unknown
// DLTAP_* name.
using WarningSink = void (*)(const char* line);

// Reads `environment` ("NAME=value" strings, null at the end). A value that is
// not understood keeps its default. `secure` (a set-uid process): disabled.
Config ParseConfig(const char* const* environment, bool secure,
                   WarningSink warn);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_CONFIG_H_
