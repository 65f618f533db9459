// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_PROCESS_INFO_H_
#define DLTAP_SHIM_TAP_RUNTIME_PROCESS_INFO_H_

#include <cstdint>

namespace dltap::shim {

// What names a process and its files.
struct ProcessInfo {
  char machine[65];
  char boot_id[40];
  char program[64];  // file name, with characters that are safe in a path
  uint64_t pid;
  uint64_t parent_pid;
  uint64_t start_time;  // field 22 of /proc/self/stat
  uint32_t cpus;        // that the process may run on
};

ProcessInfo ReadProcessInfo();

// Whether "NAME=value" is in the allow-list of CollectRankVariables().
bool IsRankVariable(const char* variable);

// Writes "NAME=value", each ended by a zero byte, for the variables of the
// allow-list that `environment` has: rank and world variables, nothing else, so
// that no secret reaches a trace. Returns the bytes used.
uint32_t CollectRankVariables(const char* const* environment, char* out,
                              uint32_t capacity);

// Reads a small file of /proc or /sys into `out` and ends it with a zero byte.
// Returns its length, -1 when it cannot be read.
int ReadSmallFile(const char* path, char* out, int capacity);

// A number in a line of /proc/PID/stat (proc(5)), fields counted from 1 and
// after the third; 0: it has none.
uint64_t StatField(const char* line, int wanted);
inline constexpr int kStartTimeField = 22;

// When a process began, in the kernel's ticks since boot; 0: there is none.
uint64_t StartTimeOf(uint64_t pid);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_PROCESS_INFO_H_
