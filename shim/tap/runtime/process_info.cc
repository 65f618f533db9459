// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/process_info.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "shim/specs/launchers.h"
#include "shim/tap/runtime/config.h"

namespace dltap::shim {
namespace {

// Beside those of specs::kLaunchers.
constexpr const char* kPlaceVariables[] = {"LOCAL_RANK",
                                           "LOCAL_WORLD_SIZE",
                                           "GROUP_RANK",
                                           "NODE_RANK",
                                           "MASTER_ADDR",
                                           "MASTER_PORT",
                                           "TORCHELASTIC_RESTART_COUNT",
                                           "TORCHELASTIC_RUN_ID",
                                           "OMPI_COMM_WORLD_LOCAL_RANK",
                                           "SLURM_LOCALID",
                                           "SLURM_NODEID",
                                           "SLURM_JOB_ID",
                                           "CUDA_VISIBLE_DEVICES"};

// `use(name)` for each; ends with the first that returns true.
template <typename Use>
bool AnyRankVariable(Use use) {
  for (const specs::Launcher& launcher : specs::kLaunchers) {
    if (use(launcher.rank)) return true;
    if (launcher.ranks != nullptr && use(launcher.ranks)) return true;
  }
  for (const char* name : kPlaceVariables) {
    if (use(name)) return true;
  }
  return false;
}

bool IsSafeInPath(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-' || c == '+';
}

void CopySafe(const char* text, char* out, size_t capacity) {
  size_t length = 0;
  for (; *text != '\0' && length + 1 < capacity; ++text) {
    out[length++] = IsSafeInPath(*text) ? *text : '_';
  }
  out[length] = '\0';
}

// The last part of the program's path. A program may have written a title over
// its arguments (setproctitle): then the title, not a piece of it.
const char* ProgramName() {
  const char* name = program_invocation_short_name;
  const bool is_piece = name != program_invocation_name && name[-1] != '/';
  return is_piece ? program_invocation_name : name;
}

uint32_t CountCpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return static_cast<uint32_t>(CPU_COUNT(&set));
  }
  return static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace

// The name in field 2 may hold spaces and parentheses: count from the last ')'.
uint64_t StatField(const char* line, int wanted) {
  const char* at = strrchr(line, ')');
  for (int field = 2; at != nullptr && field < wanted; ++field) {
    at = strchr(at + 1, ' ');
  }
  return at != nullptr ? strtoull(at + 1, nullptr, 10) : 0;
}

uint64_t StartTimeOf(uint64_t pid) {
  char path[64];
  char line[1024];
  snprintf(path, sizeof(path), "/proc/%llu/stat",
           static_cast<unsigned long long>(pid));
  return ReadSmallFile(path, line, sizeof(line)) < 0
             ? 0
             : StatField(line, kStartTimeField);
}

int ReadSmallFile(const char* path, char* out, int capacity) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const ssize_t length = read(fd, out, static_cast<size_t>(capacity - 1));
  close(fd);
  if (length < 0) return -1;
  out[length] = '\0';
  return static_cast<int>(length);
}

ProcessInfo ReadProcessInfo() {
  ProcessInfo info = {};
  char machine[256] = "unknown";
  gethostname(machine, sizeof(machine) - 1);
  CopySafe(machine, info.machine, sizeof(info.machine));
  char boot_id[64] = "";
  ReadSmallFile("/proc/sys/kernel/random/boot_id", boot_id, sizeof(boot_id));
  boot_id[strcspn(boot_id, "\n")] = '\0';
  CopySafe(boot_id, info.boot_id, sizeof(info.boot_id));
  CopySafe(ProgramName(), info.program, sizeof(info.program));
  if (info.program[0] == '\0') strcpy(info.program, "program");
  info.pid = static_cast<uint64_t>(getpid());
  info.parent_pid = static_cast<uint64_t>(getppid());
  info.start_time = StartTimeOf(info.pid);
  info.cpus = CountCpus();
  return info;
}

bool IsRankVariable(const char* variable) {
  return AnyRankVariable(
      [variable](const char* name) { return IsVariable(variable, name); });
}

uint32_t CollectRankVariables(const char* const* environment, char* out,
                              uint32_t capacity) {
  uint32_t used = 0;
  AnyRankVariable([=, &used](const char* name) {
    const char* value = FindVariable(environment, name);
    if (value == nullptr) return false;
    const size_t needed = strlen(name) + 1 + strlen(value) + 1;
    if (used + needed > capacity) return false;
    snprintf(out + used, capacity - used, "%s=%s", name, value);
    used += static_cast<uint32_t>(needed);
    return false;
  });
  return used;
}

}  // namespace dltap::shim
