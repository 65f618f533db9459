// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

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

// A process like dltap run: its SIGTERM must reach the child, whose own
// handler decides the exit code.
TEST(ChildProcessTest, SignalsGoOnToTheChild) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t runner = fork();
  if (runner == 0) {
    const std::string script = "trap 'exit 42' TERM; echo up >&" +
                               std::to_string(ready[1]) +
                               "; while :; do sleep 0.01; done";
    _exit(
        RunChild({"sh", "-c", script}, {{"PATH", "/usr/bin:/bin"}}).exit_code);
  }
  char up;
  ASSERT_EQ(read(ready[0], &up, 1), 1);
  ASSERT_EQ(kill(runner, SIGTERM), 0);
  int status = 0;
  ASSERT_EQ(waitpid(runner, &status, 0), runner);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
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
