// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/own_descriptors.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "gtest/gtest.h"

namespace dltap::shim {
namespace {

int OpenSomething() {
  return static_cast<int>(
      syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC));
}

TEST(OwnDescriptorsTest, NothingOfTheProgramsIsOpenThere) {
  int lowest = -1;
  if (!WithOwnDescriptors(
          [](void* fd) { *static_cast<int*>(fd) = OpenSomething(); },
          &lowest)) {
    GTEST_SKIP() << "the kernel gives no table";
  }
  EXPECT_EQ(lowest, 0);
  EXPECT_GE(fcntl(0, F_GETFD), 0);
  EXPECT_GE(fcntl(1, F_GETFD), 0);
}

// Holds a descriptor until it is told to go on.
struct Hold {
  std::atomic<bool> is_open = false;
  std::atomic<bool> may_end = false;
};

void HoldOne(void* argument) {
  auto& hold = *static_cast<Hold*>(argument);
  const int fd = OpenSomething();
  hold.is_open = true;
  const timespec shortly = {0, 1'000'000};
  while (!hold.may_end) syscall(SYS_nanosleep, &shortly, nullptr);
  syscall(SYS_close, fd);
}

TEST(OwnDescriptorsTest, WhatIsOpenedTakesNoNumberAndIsNotInherited) {
  const int before = OpenSomething();
  close(before);
  Hold hold;
  std::atomic<bool> was_run = true;
  std::thread caller([&] { was_run = WithOwnDescriptors(HoldOne, &hold); });
  while (!hold.is_open && was_run) usleep(1000);
  const int meanwhile = OpenSomething();
  close(meanwhile);
  const pid_t child = fork();
  if (child == 0) _exit(OpenSomething());
  int status = 0;
  waitpid(child, &status, 0);
  hold.may_end = true;
  caller.join();
  if (!was_run) GTEST_SKIP() << "the kernel gives no table";
  EXPECT_EQ(meanwhile, before);
  EXPECT_EQ(WEXITSTATUS(status), before);
}

}  // namespace
}  // namespace dltap::shim
