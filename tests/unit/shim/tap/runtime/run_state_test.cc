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

// From here on the kernel kills this thread for a clone.
bool ForbidClones() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program = {std::size(filter), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(RunStateTest, AThreadThatMayNotDoWhatALookTakesDoesNotLook) {
  const auto tid = static_cast<uint32_t>(gettid());
  const pid_t child = fork();
  if (child == 0) {
    if (!ForbidClones()) _exit(2);
    ReadRunState(tid);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "no filters here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace dltap::shim
