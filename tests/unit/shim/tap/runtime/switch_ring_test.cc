// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/switch_ring.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace dltap::shim {
namespace {

using trace::ThreadSwitch;

void SleepMs(long ms) {
  const timespec time = {ms / 1000, ms % 1000 * 1'000'000};
  nanosleep(&time, nullptr);
}

struct Switch {
  uint64_t at_ns;
  ThreadSwitch state;
};

// A thread that does `work` once its switches are noted.
class SwitchRingTest : public ::testing::Test {
 protected:
  void Run(void (*work)()) {
    thread_ = std::thread([this, work] {
      tid_ = static_cast<uint32_t>(gettid());
      while (!may_begin_) SleepMs(1);
      work();
    });
    while (tid_ == 0) SleepMs(1);
    ring_ = MayAskForSwitches(1) ? MapSwitches(tid_) : nullptr;
    may_begin_ = true;
    thread_.join();
  }
  void TearDown() override {
    if (ring_ != nullptr) UnmapSwitches(ring_);
  }

  std::atomic<uint32_t> tid_ = 0;
  std::atomic<bool> may_begin_ = false;
  std::thread thread_;
  const void* ring_ = nullptr;
};

std::vector<Switch> All(SwitchReader& reader) {
  std::vector<Switch> switches;
  Switch next{};
  while (reader.Next(&next.at_ns, &next.state)) switches.push_back(next);
  return switches;
}

TEST_F(SwitchRingTest, ASleepBeginsAndEndsWithASwitch) {
  Run([] { SleepMs(50); });
  if (ring_ == nullptr) GTEST_SKIP() << "the kernel does not tell";
  SwitchReader reader(ring_, 0);
  const std::vector<Switch> switches = All(reader);
  EXPECT_EQ(reader.lost(), 0u);
  uint64_t longest_ns = 0;
  for (size_t i = 0; i + 1 < switches.size(); ++i) {
    EXPECT_LE(switches[i].at_ns, switches[i + 1].at_ns);
    if (switches[i].state != ThreadSwitch::kSleeps) continue;
    longest_ns =
        std::max(longest_ns, switches[i + 1].at_ns - switches[i].at_ns);
  }
  EXPECT_GE(longest_ns, 49'000'000u);
}

TEST_F(SwitchRingTest, AThreadThatHasEndedRunsNoMore) {
  Run([] {});
  if (ring_ == nullptr) GTEST_SKIP() << "the kernel does not tell";
  SwitchReader reader(ring_, 0);
  const std::vector<Switch> switches = All(reader);
  ASSERT_FALSE(switches.empty());
  EXPECT_NE(switches.back().state, ThreadSwitch::kRuns);
}

TEST_F(SwitchRingTest, GoesOnWhereTheLastReaderStopped) {
  Run([] { SleepMs(1); });
  if (ring_ == nullptr) GTEST_SKIP() << "the kernel does not tell";
  SwitchReader reader(ring_, 0);
  EXPECT_FALSE(All(reader).empty());
  SwitchReader next(ring_, reader.at_bytes());
  EXPECT_TRUE(All(next).empty());
  EXPECT_EQ(next.lost(), 0u);
}

std::atomic<uint64_t> g_sleeps = 0;

// As the kernel counts them: not every one that was asked for takes long
// enough.
uint64_t SleepsSoFar() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<uint64_t>(usage.ru_nvcsw);
}

TEST_F(SwitchRingTest, WhatWasOverwrittenIsCountedAsLost) {
  Run([] {
    const uint64_t before = SleepsSoFar();
    while (SleepsSoFar() - before < 3'000) {
      const timespec shortly = {0, 1};
      nanosleep(&shortly, nullptr);
    }
    g_sleeps = SleepsSoFar() - before;
  });
  if (ring_ == nullptr) GTEST_SKIP() << "the kernel does not tell";
  SwitchReader reader(ring_, 0);
  EXPECT_TRUE(reader.crowds());
  EXPECT_TRUE(All(reader).empty());
  EXPECT_GE(reader.lost(), 2 * g_sleeps);
  SwitchReader next(ring_, reader.at_bytes());
  EXPECT_TRUE(All(next).empty());
  EXPECT_EQ(next.lost(), 0u);
}

// The program has closed all descriptors that it does not know, and opened one.
TEST(SwitchEventTest, ADescriptorOfTheProgramsIsLeftAlone) {
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  EXPECT_EQ(MapSwitchEvent(file), nullptr);
  EXPECT_EQ(errno, EBADF);
  char byte;
  EXPECT_EQ(read(file, &byte, 1), 1);
  close(file);
}

TEST(SwitchEventTest, AClosedDescriptorIsNone) {
  EXPECT_EQ(MapSwitchEvent(-1), nullptr);
  EXPECT_EQ(errno, EBADF);
}

// ---- Whether the kernel may be asked, in a process of its own

enum Answer { kMayNot = 0, kMay = 1, kNotTried = 2 };

// Of a child that `change` has made another; false: the change was refused.
int AnswerAfter(bool (*change)()) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(!change() ? kNotTried : MayAskForSwitches(1) ? kMay : kMayNot);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

bool InTimeOf(const char* offsets) {
  constexpr int kNewTime = 0x80;  // CLONE_NEWTIME
  if (unshare(kNewTime) != 0) return false;
  const int file = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
  const auto length = static_cast<ssize_t>(strlen(offsets));
  const bool is_written = write(file, offsets, strlen(offsets)) == length;
  close(file);
  // A child is the first one in it.
  const pid_t child = is_written ? fork() : -1;
  if (child <= 0) return child == 0;
  int status = 0;
  waitpid(child, &status, 0);
  _exit(WEXITSTATUS(status));
}

TEST(MayAskForSwitchesTest, NotInATimeNamespaceWhoseClockIsAnother) {
  const int before = AnswerAfter([] { return true; });
  const int after = AnswerAfter([] { return InTimeOf("monotonic 9000 0\n"); });
  if (after == kNotTried) GTEST_SKIP() << "no such namespace here";
  EXPECT_EQ(after, kMayNot);
  EXPECT_EQ(AnswerAfter([] { return InTimeOf("monotonic 0 0\n"); }), before);
}

TEST(MayAskForSwitchesTest, NotUnderAFilterOfSystemCalls) {
  const int after = AnswerAfter([] {
    sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program = {1, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  });
  if (after == kNotTried) GTEST_SKIP() << "no filters here";
  EXPECT_EQ(after, kMayNot);
}

bool BeNobodyWhoMayLock(rlim_t bytes) {
  const rlimit limit = {bytes, bytes};
  return setrlimit(RLIMIT_MEMLOCK, &limit) == 0 && setuid(65534) == 0;
}

TEST(MayAskForSwitchesTest, NotWhereARingIsMuchOfTheMemoryThatMayBeLocked) {
  const int with_little =
      AnswerAfter([] { return BeNobodyWhoMayLock(256 << 10); });
  const int with_much = AnswerAfter([] { return BeNobodyWhoMayLock(4 << 20); });
  if (with_little == kNotTried || with_much == kNotTried) {
    GTEST_SKIP() << "needs root, and limits that it may set";
  }
  EXPECT_EQ(with_little, kMayNot);
  EXPECT_EQ(with_much, AnswerAfter([] { return true; }));
}

TEST(MayAskForSwitchesTest, AUserOf600GroupsMayAsOthers) {
  const int after = AnswerAfter([] {
    std::vector<gid_t> groups;
    for (gid_t i = 0; i < 600; ++i) groups.push_back(4'000'000'000u + i);
    return setgroups(groups.size(), groups.data()) == 0;
  });
  if (after == kNotTried) GTEST_SKIP() << "needs root";
  EXPECT_EQ(after, AnswerAfter([] { return true; }));
}

}  // namespace
}  // namespace dltap::shim
