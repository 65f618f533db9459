// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/run_state.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <iterator>
#include <thread>

#include "gtest/gtest.h"

namespace dltap::shim {
namespace {

TEST(RunStateTest, AThreadThatSpinsIsReady) {
  std::atomic<pid_t> tid = 0;
  std::atomic<bool> ends = false;
  std::thread spins([&] {
    tid = gettid();
    while (!ends) {
    }
  });
  while (tid == 0) std::this_thread::yield();
  EXPECT_TRUE(ReadRunState(static_cast<uint32_t>(tid)).is_ready);
  ends = true;
  spins.join();
}

// From here on the kernel kills this thread for that.
bool Forbid(int call) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program = {std::size(filter), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Whether a child that may not make `call` comes to its end when it looks.
bool SurvivesALook(int call, bool is_noted) {
  const auto tid = static_cast<uint32_t>(gettid());
  const pid_t child = fork();
  if (child == 0) {
    if (!Forbid(call)) _exit(0);  // no filters here
    if (is_noted) NoteFilter();
    ReadRunState(tid);
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status);
}

TEST(RunStateTest, AThreadThatMayNotDoWhatALookTakesDoesNotLook) {
  EXPECT_TRUE(SurvivesALook(SYS_clone, /*is_noted=*/false));
}

TEST(RunStateTest, UnderAFilterThatWasNotedNoCallIsMade) {
  for (const int call : {SYS_prctl, SYS_clone, SYS_rt_sigprocmask}) {
    EXPECT_TRUE(SurvivesALook(call, /*is_noted=*/true)) << call;
  }
}

}  // namespace
}  // namespace dltap::shim
