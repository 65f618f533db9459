// SPDX-License-Identifier: Apache-2.0
// When the process ends: writes DLTAP_SIM_COUNTS (after exit() and _exit()),
// and names vendor libraries that the program opened by path (after exit()).
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

#include "simgpu/base/config.h"
#include "simgpu/base/counters.h"
#include "simgpu/base/foreign_libraries.h"
#include "simgpu/base/fork_guard.h"

namespace dltap::simgpu {
namespace {

constinit pid_t g_owner = 0;

void RememberOwner() { g_owner = getpid(); }

[[gnu::constructor]] void AtLoad() {
  RememberOwner();
  AddForkChildHandler(RememberOwner);
}

void WriteCounts() {
  const std::string& path = GetConfig().counts_path;
  // The child of a vfork() leaves by _exit() too, in its parent's memory.
  if (path.empty() || getpid() != g_owner) return;
  const std::string text = CountsAsText();
  if (text.empty()) return;  // a process without CUDA calls leaves no file
  const std::string expanded = ExpandPid(path);
  std::FILE* file = std::fopen(expanded.c_str(), "w");
  if (file == nullptr) {
    std::fprintf(stderr, "dltap: simgpu: cannot write DLTAP_SIM_COUNTS=%s\n",
                 expanded.c_str());
    return;
  }
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
}

void NameForeignLibraries() {
  if (!SimulationEnabled() || GetConfig().quiet || getpid() != g_owner ||
      CountsAsText().empty()) {
    return;
  }
  std::string names;
  for (const std::string& path : ForeignLibraries()) {
    names.append(names.empty() ? "" : ", ").append(path);
  }
  if (names.empty()) return;
  std::fprintf(stderr, "dltap: simgpu: opened by path, not simulated: %s\n",
               names.c_str());
}

[[gnu::destructor]] void AtExit() {
  NameForeignLibraries();
  WriteCounts();
}

}  // namespace
}  // namespace dltap::simgpu

// Worker processes of Python leave by os._exit(), which runs no destructor.
// Seen only where this library stands before libc in the lookup order, that is,
// when it is preloaded itself.
extern "C" [[noreturn, gnu::visibility("default")]] void _exit(int status) {
  dltap::simgpu::WriteCounts();
  for (;;) syscall(SYS_exit_group, status);
}
