// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/config.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace dltap::shim {
namespace {

constexpr unsigned long kMaxDelayUs = 10'000;
constexpr unsigned long kMinWindowMs = 100;  // the collector's period
constexpr unsigned long kMaxWindowMs = 600'000;
constexpr uint64_t kMaxMegabytes = uint64_t{1} << 24;  // 16 TiB
constexpr uint64_t kMinBytes = uint64_t{512} << 10;

void Warn(WarningSink warn, const char* what, const char* name,
          const char* next) {
  char line[256];
  snprintf(line, sizeof(line), "%s %s%s", what, name, next);
  warn(line);
}

// One word that a variable may hold, and what it means.
struct Choice {
  const char* word;
  int value;
};

template <int kChoices>
bool Choose(const Choice (&choices)[kChoices], const char* word, int* value) {
  for (const Choice& choice : choices) {
    if (strcmp(choice.word, word) == 0) {
      *value = choice.value;
      return true;
    }
  }
  return false;
}

constexpr Choice kLevels[] = {{"host", static_cast<int>(Level::kHost)},
                              {"kernels", static_cast<int>(Level::kKernels)}};
constexpr Choice kClocks[] = {
    {"tsc", static_cast<int>(ClockKind::kTsc)},
    {"monotonic", static_cast<int>(ClockKind::kMonotonic)},
    {"cupti", static_cast<int>(ClockKind::kActivity)}};
constexpr Choice kSites[] = {{"off", static_cast<int>(Sites::kOff)},
                             {"native", static_cast<int>(Sites::kNative)},
                             {"python", static_cast<int>(Sites::kPython)}};
constexpr Choice kLogLevels[] = {{"off", 0},     {"error", 1}, {"warn", 2},
                                 {"warning", 2}, {"info", 3},  {"debug", 4}};

// The fraction behind a number's point, in bytes of a megabyte; up to six
// digits. Without the C library's, which goes by the program's locale.
uint64_t ParseFraction(const char** text) {
  uint64_t millionths = 0;
  uint64_t unit = 100'000;
  for (++*text; **text >= '0' && **text <= '9' && unit > 0; ++*text) {
    millionths += static_cast<uint64_t>(**text - '0') * unit;
    unit /= 10;
  }
  return (millionths << 20) / 1'000'000;
}

// "2048", "2048:stop", "2048:ring", "0.5:ring".
bool ParseSize(const char* text, Config* config) {
  if (*text < '0' || *text > '9') return false;
  char* number_end = nullptr;
  const unsigned long long megabytes = strtoull(text, &number_end, 10);
  const char* end = number_end;
  if (megabytes > kMaxMegabytes) return false;
  uint64_t bytes = uint64_t{megabytes} << 20;
  if (*end == '.') bytes += ParseFraction(&end);
  SizePolicy policy = SizePolicy::kRing;
  if (strcmp(end, ":stop") == 0) {
    policy = SizePolicy::kStop;
  } else if (*end != '\0' && strcmp(end, ":ring") != 0) {
    return false;
  }
  if (bytes < kMinBytes) return false;
  config->policy = policy;
  config->max_bytes = bytes;
  return true;
}

// A number of `least` to `most`; `*end` is what follows it.
bool ParseNumber(const char* text, unsigned long least, unsigned long most,
                 uint32_t* value, char** end) {
  if (*text < '0' || *text > '9') return false;
  const unsigned long number = strtoul(text, end, 10);
  *value = static_cast<uint32_t>(number);
  return number >= least && number <= most;
}

// "20,50,100". Nothing: no delays.
bool SetDelays(const char* text, Config* config) {
  uint32_t delays[kMaxDelays] = {};
  for (int n = 0; *text != '\0'; ++n) {
    char* end = nullptr;
    if (n == kMaxDelays - 1 ||
        !ParseNumber(text, 1, kMaxDelayUs, &delays[n], &end) ||
        (*end != ',' && *end != '\0')) {
      return false;
    }
    text = *end == ',' ? end + 1 : end;
  }
  memcpy(config->delays_us, delays, sizeof(delays));
  return true;
}

bool SetDelayWindow(const char* text, Config* config) {
  char* end = nullptr;
  uint32_t value = 0;
  if (!ParseNumber(text, kMinWindowMs, kMaxWindowMs, &value, &end) ||
      *end != '\0') {
    return false;
  }
  config->delay_window_ms = value;
  return true;
}

// Seconds, whole ones: windows open and close to the collector's pass.
bool SetSeconds(const char* text, uint32_t* seconds) {
  constexpr unsigned long kMostSeconds = 100'000'000;
  char* end = nullptr;
  uint32_t value = 0;
  if (!ParseNumber(text, 0, kMostSeconds, &value, &end) || *end != '\0') {
    return false;
  }
  *seconds = value;
  return true;
}

bool SetDelayBefore(const char* text, Config* config) {
  if (!SetSeconds(text, &config->delay_s)) return false;
  if (config->delay_s != 0) config->start_paused = true;
  return true;
}

bool SetDuration(const char* text, Config* config) {
  return SetSeconds(text, &config->duration_s);
}

bool SetRange(const char* text, Config* config) {
  if (strlen(text) >= sizeof(config->range)) return false;
  strcpy(config->range, text);
  if (*text != '\0') config->start_paused = true;
  return true;
}

// "off", "1" (percent) or "1:60" (over seconds).
bool SetStepDown(const char* text, Config* config) {
  if (strcmp(text, "off") == 0) text = "0";
  char* end = nullptr;
  uint32_t percent = 0;
  uint32_t seconds = config->step_down_s;
  if (!ParseNumber(text, 0, 100, &percent, &end)) return false;
  if (*end == ':' && !ParseNumber(end + 1, 1, 86'400, &seconds, &end)) {
    return false;
  }
  if (*end != '\0') return false;
  config->step_down_percent = percent;
  config->step_down_s = seconds;
  return true;
}

bool SetOutput(const char* text, Config* config) {
  if (strlen(text) >= sizeof(config->output)) return false;
  strcpy(config->output, text);
  return true;
}

bool SetStart(const char* text, Config* config) {
  bool on = true;
  if (!ParseBoolean(text, &on)) return false;
  config->start_paused = !on;
  return true;
}

bool SetDisabled(const char* text, Config* config) {
  return ParseBoolean(text, &config->disabled);
}

bool SetPointers(const char* text, Config* config) {
  return ParseBoolean(text, &config->pointers);
}

bool SetSwitches(const char* text, Config* config) {
  return ParseBoolean(text, &config->switches);
}

bool SetFrames(const char* text, Config* config) {
  return ParseBoolean(text, &config->frames);
}

bool SetTensorflowNames(const char* text, Config* config) {
  return ParseBoolean(text, &config->tensorflow_names);
}

template <typename Enum, int kChoices>
bool SetChoice(const Choice (&choices)[kChoices], const char* text,
               Enum* target) {
  int value = 0;
  if (!Choose(choices, text, &value)) return false;
  *target = static_cast<Enum>(value);
  return true;
}

bool SetLevel(const char* text, Config* config) {
  return SetChoice(kLevels, text, &config->level);
}

bool SetSites(const char* text, Config* config) {
  return SetChoice(kSites, text, &config->sites);
}

bool SetClock(const char* text, Config* config) {
  return SetChoice(kClocks, text, &config->clock);
}

bool SetLog(const char* text, Config* config) {
  return SetChoice(kLogLevels, text, &config->log);
}

struct Variable {
  const char* name;
  bool (*set)(const char* text, Config* config);  // nullptr: not the tap's
  const char* values;
};

// Every name that may stand in the environment without a warning. Those of the
// launcher and of the report are listed, since they reach us by inheritance.
constexpr Variable kVariables[] = {
    {"DLTAP_CLOCK", SetClock, "tsc, monotonic or cupti"},
    {"DLTAP_DELAYS", SetDelays, "up to 7 numbers of microseconds, 1 to 10000"},
    {"DLTAP_DELAY_S", SetDelayBefore, "a whole number of seconds"},
    {"DLTAP_DELAY_WINDOW_MS", SetDelayWindow, "100 to 600000 milliseconds"},
    {"DLTAP_DISABLE", SetDisabled, "0 or 1"},
    {"DLTAP_DURATION_S", SetDuration, "a whole number of seconds"},
    {"DLTAP_FRAMES", SetFrames, "0 or 1"},
    {"DLTAP_LEVEL", SetLevel, "host or kernels"},
    {"DLTAP_LOG", SetLog, "off, error, warn, info or debug"},
    {"DLTAP_MAX_MB", ParseSize, "0.5 or more megabytes: N:ring, N:stop or N"},
    {"DLTAP_OUTPUT", SetOutput, "a path of less than 1024 bytes"},
    {"DLTAP_POINTERS", SetPointers, "0 or 1"},
    {"DLTAP_RANGE", SetRange, "a name of less than 128 bytes"},
    {"DLTAP_SITES", SetSites, "off, native or python"},
    {"DLTAP_START", SetStart, "on or off"},
    {"DLTAP_STEP_DOWN", SetStepDown, "off, percent or PERCENT:SECONDS"},
    {"DLTAP_SWITCHES", SetSwitches, "0 or 1"},
    {"DLTAP_TF_NAMES", SetTensorflowNames, "0 or 1"},
    {"DLTAP_NVTX_NEXT", nullptr, nullptr},  // entry/nvtx_injection.cc
    {"DLTAP_SHARED", nullptr, nullptr},
    {"DLTAP_TOOLS", nullptr, nullptr},
};

constexpr const char* kForeignPrefixes[] = {"DLTAP_SIM_", "DLTAP_CUDA_",
                                            "DLTAP_TOOLS_"};

bool IsForeign(const char* name) {
  for (const char* prefix : kForeignPrefixes) {
    if (strncmp(name, prefix, strlen(prefix)) == 0) return true;
  }
  return false;
}

void Apply(const char* entry, Config* config, WarningSink warn) {
  const char* equals = strchr(entry, '=');
  if (equals == nullptr || IsForeign(entry)) return;
  char name[64];
  const size_t length = static_cast<size_t>(equals - entry);
  if (length >= sizeof(name)) return;
  memcpy(name, entry, length);
  name[length] = '\0';
  for (const Variable& variable : kVariables) {
    if (strcmp(variable.name, name) != 0) continue;
    if (variable.set != nullptr && !variable.set(equals + 1, config)) {
      char next[128];
      snprintf(next, sizeof(next), " is not understood; it takes %s",
               variable.values);
      Warn(warn, "the value of", name, next);
    }
    return;
  }
  Warn(warn, "unknown variable", name, " is ignored");
}

}  // namespace

Config ParseConfig(const char* const* environment, bool secure,
                   WarningSink warn) {
  Config config;
  if (secure) {
    config.disabled = true;
    return config;
  }
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    if (strncmp(*environment, "DLTAP_", 6) == 0) {
      Apply(*environment, &config, warn);
    }
  }
  return config;
}

}  // namespace dltap::shim
