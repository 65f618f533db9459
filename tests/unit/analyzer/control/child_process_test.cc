// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/support/temp_dir.h"

namespace dltap::analyzer {
namespace {

TEST(ChildProcessTest, ExitCodeIsTheChilds) {
  EXPECT_EQ(RunChild({"sh", "-c", "exit 7"}, {}).exit_code, 7);
  EXPECT_EQ(RunChild({"true"}, {}).exit_code, 0);
}

TEST(ChildProcessTest, SignalThatEndedItIsAddedTo128) {
  EXPECT_EQ(RunChild({"sh", "-c", "kill -9 $$"}, {}).exit_code, 128 + 9);
}

TEST(ChildProcessTest, EnvironmentIsExactlyWhatIsGiven) {
  EXPECT_EQ(RunChild({"sh", "-c", "test \"$A\" = \"b c\" && test -z \"$HOME\""},
                     {{"A", "b c"}})
                .exit_code,
            0);
}

TEST(ChildProcessTest, ProgramThatCannotRunGivesErrno) {
  EXPECT_EQ(RunChild({"/nonexistent/program"}, {}).exec_error, ENOENT);
  TempDir dir;
  const std::string path = dir.Write("data", std::string_view("x"));
  EXPECT_EQ(RunChild({path}, {}).exec_error, EACCES);
}

// A process like dltap run, whose program exits with 42 at that signal; it
// writes to `ready` when it waits for it.
[[noreturn]] void RunWaitingFor(int signal, int ready) {
  const std::string script = "trap 'exit 42' " + std::to_string(signal) +
                             "; echo up >&" + std::to_string(ready) +
                             "; while :; do sleep 0.01; done";
  _exit(RunChild({"sh", "-c", script}, {{"PATH", "/usr/bin:/bin"}}).exit_code);
}

int ExitCodeOf(pid_t runner) {
  int status = 0;
  EXPECT_EQ(waitpid(runner, &status, 0), runner);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(ChildProcessTest, SignalsGoOnToTheChild) {
  for (const int signal : {SIGTERM, SIGUSR1, SIGALRM, SIGXCPU, SIGRTMIN + 1}) {
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t runner = fork();
    if (runner == 0) RunWaitingFor(signal, ready[1]);
    char up;
    ASSERT_EQ(read(ready[0], &up, 1), 1);
    ASSERT_EQ(kill(runner, signal), 0);
    EXPECT_EQ(ExitCodeOf(runner), 42) << signal;
    close(ready[0]);
    close(ready[1]);
  }
}

// As `perl -e 'alarm 60; exec @ARGV' dltap run ...` sets it.
TEST(ChildProcessTest, AnAlarmOfItsOwnGoesOnToTheChild) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t runner = fork();
  if (runner == 0) {
    // It takes no signal itself: dltap run has one thread, which takes none
    // before it knows its child.
    std::thread([&] {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, nullptr);
      char up;
      if (read(ready[0], &up, 1) == 1) ualarm(1, 0);
    }).detach();
    RunWaitingFor(SIGALRM, ready[1]);
  }
  EXPECT_EQ(ExitCodeOf(runner), 42);
  close(ready[0]);
  close(ready[1]);
}

TEST(ChildProcessTest, OwnSignalHandlersComeBack) {
  struct sigaction before, after;
  sigaction(SIGTERM, nullptr, &before);
  RunChild({"true"}, {});
  sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

}  // namespace
}  // namespace dltap::analyzer
