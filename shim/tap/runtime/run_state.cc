// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/run_state.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/own_descriptors.h"
#include "shim/tap/runtime/process_info.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/program_state.h"

namespace dltap::shim {
namespace {

// A thread of the program's may have 16 KiB in all.
alignas(16) constinit char g_stack[size_t{48} << 10];

// Lines of /proc, cut off behind what is wanted.
struct Lines {
  char stat_path[64];
  char delay_path[64];
  char stat[128];
  char delay[128];
};

void ReadLine(const char* path, char* line, size_t capacity) {
  const long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const long length = syscall(SYS_read, fd, line, capacity - 1);
  line[length > 0 ? length : 0] = '\0';
  syscall(SYS_close, fd);
}

void ReadLines(void* argument) {
  auto& lines = *static_cast<Lines*>(argument);
  ReadLine(lines.stat_path, lines.stat, sizeof(lines.stat));
  ReadLine(lines.delay_path, lines.delay, sizeof(lines.delay));
}

// "4711 (name) R ...", where the name may hold anything.
char StateOf(const char* stat) {
  const char* end = strrchr(stat, ')');
  return end != nullptr && end[1] == ' ' ? end[2] : '\0';
}

// The second number of "CPU time, run delay, slices".
uint64_t RunDelayOf(const char* line) {
  const char* space = strchr(line, ' ');
  return space != nullptr ? strtoull(space, nullptr, 10) : 0;
}

// Another thread asks. (Or this one does, and a signal handler runs on it: so
// not for ever.)
bool LockStack() {
  constexpr uint64_t kPatienceNs = 10'000'000;
  const uint64_t begin_ns = MonotonicNs();
  while (g_process.looking.exchange(1, std::memory_order_acquire) != 0) {
    if (MonotonicNs() - begin_ns > kPatienceNs) return false;
    sched_yield();
  }
  return true;
}

// One that was not noted yet, or of this thread alone, is asked for.
bool IsFiltered() {
  return g_process.is_filtered.load(std::memory_order_relaxed) != 0 ||
         prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0;
}

}  // namespace

void NoteFilter() {
  char status[32768];  // with a line of all groups of the user
  if (ReadSmallFile("/proc/self/status", status, sizeof(status)) < 0) return;
  constexpr char kKey[] = "\nSeccomp:\t";
  const char* mode = strstr(status, kKey);
  if (mode == nullptr || mode[sizeof(kKey) - 1] == '0') return;
  g_process.is_filtered.store(1, std::memory_order_relaxed);
}

RunState ReadRunState(uint32_t tid) {
  const int saved_errno = errno;
  if (IsFiltered() || !LockStack()) {
    errno = saved_errno;
    return {};
  }
  Lines lines = {};
  snprintf(lines.stat_path, sizeof(lines.stat_path), "/proc/self/task/%u/stat",
           tid);
  snprintf(lines.delay_path, sizeof(lines.delay_path),
           "/proc/self/task/%u/schedstat", tid);
  {
    const SignalHold hold;
    WithOwnDescriptors(ReadLines, &lines, g_stack);
  }
  errno = saved_errno;
  g_process.looking.store(0, std::memory_order_release);
  const char letter = StateOf(lines.stat);
  return {letter == 'R', letter == 'D', RunDelayOf(lines.delay)};
}

}  // namespace dltap::shim
