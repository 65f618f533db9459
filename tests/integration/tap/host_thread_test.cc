// SPDX-License-Identifier: Apache-2.0
// What the threads of the program never do for us, and their first calls.
#include <chrono>

#include "gtest/gtest.h"
#include "tests/integration/tap/tapped_program.h"

namespace dltap {
namespace {

TEST(TapHostThreadTest, NoLineAndNoFileOfOursHurtsTheProgram) {
  for (const char* mode :
       {"replaced", "broken", "full", "limit", "cancelled"}) {
    TappedProgram program("stderrs");
    program.With("DLTAP_NOBODY_KNOWS=1").With("DLTAP_LOG=debug");
    const Outcome bare = program.RunBare({mode});
    const Outcome outcome = program.Run({mode});
    EXPECT_EQ(outcome.output, bare.output) << mode;
    EXPECT_EQ(outcome.status, bare.status) << mode;
  }
}

TEST(TapHostThreadTest, LogOffSaysNothingAtAll) {
  TappedProgram loud("stderrs");
  loud.With("DLTAP_NOBODY_KNOWS=1");
  EXPECT_NE(loud.Run({"shown"}).output.find("DLTAP_NOBODY_KNOWS"),
            std::string::npos);
  TappedProgram quiet("stderrs");
  quiet.With("DLTAP_NOBODY_KNOWS=1").With("DLTAP_LOG=off");
  EXPECT_EQ(quiet.Run({"shown"}).output, quiet.RunBare({"shown"}).output);
}

TEST(TapHostThreadTest, DisabledLeavesNothingBehind) {
  TappedProgram program("stderrs");
  program.With("DLTAP_NOBODY_KNOWS=1").With("DLTAP_DISABLE=1");
  EXPECT_EQ(program.Run({"shown"}).output, program.RunBare({"shown"}).output);
  EXPECT_TRUE(program.Files().empty());
}

// However a process ends, status, signal and output are its own.
TEST(TapHostThreadTest, EveryEndIsThePrograms) {
  for (const char* mode : {"return", "_exit", "quick_exit", "abort", "atexit",
                           "exit_exit", "exit__exit", "elsewhere", "terminate",
                           "pthread_exit", "alone", "alone_without_files"}) {
    TappedProgram program("endings");
    const Outcome bare = program.RunBare({mode});
    const Outcome outcome = program.Run({mode});
    EXPECT_EQ(outcome.output, bare.output) << mode;
    EXPECT_EQ(outcome.status, bare.status) << mode;
    EXPECT_GE(Recorded(program.Read(), "cudaLaunchKernel"), 100u) << mode;
  }
}

TEST(TapHostThreadTest, MainMayReturnWhileOthersLaunch) {
  TappedProgram program("endings");
  EXPECT_EQ(program.Run({"busy"}).status, 0);
  EXPECT_TRUE(program.Read().processes.at(0).complete);
}

// Main has gone, then the last thread: exit handlers run, and what they do is
// in the trace, which is closed.
TEST(TapHostThreadTest, LastThreadEndsTheProcess) {
  TappedProgram program("endings");
  EXPECT_EQ(program.Run({"pthread_exit"}).output,
            "main is gone\nexit handler\n");
  const analyzer::TraceModel ended = program.Read();
  EXPECT_EQ(Recorded(ended, "cudaLaunchKernel"), 101u);
  EXPECT_TRUE(ended.processes.at(0).complete);
  TappedProgram alone("endings");
  alone.Run({"alone"});
  const analyzer::TraceModel model = alone.Read();
  EXPECT_EQ(Recorded(model, "cudaLaunchKernel"), 101u);
  EXPECT_TRUE(model.processes.at(0).complete);
}

// By time: the numbers of processes begin again when they are used up.
const analyzer::Process* FirstStarted(const analyzer::TraceModel& model) {
  const analyzer::Process* first = nullptr;
  for (const auto& process : model.processes) {
    const bool is_first =
        first == nullptr || process.begin_ns < first->begin_ns;
    if (is_first) first = &process;
  }
  return first;
}

// The child returns out of a call that it did not make, into the same wrapper,
// while its parent records what comes after that call.
TEST(TapHostThreadTest, ChildForkedInsideACallLeavesItsParentsRingAlone) {
  for (const char* mode :
       {"inside_fork", "inside__Fork", "inside_clone", "inside_handler"}) {
    TappedProgram program("forks");
    const Outcome bare = program.RunBare({mode});
    const Outcome outcome = program.Run({mode});
    EXPECT_EQ(outcome.output, bare.output) << mode;
    EXPECT_EQ(outcome.status, bare.status) << mode;
    const analyzer::TraceModel model = program.Read();
    ASSERT_EQ(model.processes.size(), 2u) << mode;
    EXPECT_EQ(Recorded(model, "cudaStreamSynchronize"), 1u) << mode;
    EXPECT_EQ(Recorded(model, "cudaLaunchKernel"), 50u) << mode;
    int64_t last_end_ns = INT64_MIN;
    for (const auto& call : FirstStarted(model)->calls) {
      EXPECT_GE(call.begin_ns, last_end_ns) << mode;
      last_end_ns = call.end_ns;
    }
  }
}

TEST(TapHostThreadTest, ForksOfManyThreadsInsideCallsLeaveTheParentWhole) {
  TappedProgram program("forks");
  program.With("DLTAP_LEVEL=host");
  EXPECT_EQ(program.Run({"storm"}).status, 0);
  const analyzer::TraceModel model = program.Read();
  const analyzer::Process* parent = FirstStarted(model);
  ASSERT_NE(parent, nullptr);
  uint64_t launches = 0;
  for (const auto& call : parent->calls) {
    launches +=
        model.entry_points[call.entry.value()].symbol == "cudaLaunchKernel";
  }
  EXPECT_EQ(launches, 10u + 64 * 2 * 5);
}

TEST(TapHostThreadTest, FirstCallsOfManyThreadsAtOnceAreRecorded) {
  TappedProgram program("first_moments");
  program.With("DLTAP_LEVEL=host");
  const Outcome outcome = program.Run({"together", "500", "3"});
  EXPECT_EQ(CallsIn(outcome.output), 1500u);
  const analyzer::TraceModel model = program.Read();
  EXPECT_EQ(Recorded(model, "cudaLaunchKernel"), 1500u);
}

TEST(TapHostThreadTest, FirstCallInAConstructorIsRecordedAndTheLoaderGoesOn) {
  TappedProgram program("first_moments");
  const Outcome outcome = program.Run(
      {"constructor", DLTAP_TEST_PROGRAMS "/libtap_constructor.so"});
  EXPECT_EQ(outcome.exit_code(), 0);
  EXPECT_EQ(Recorded(program.Read(), "cudaLaunchKernel"), 10u);
}

TEST(TapHostThreadTest, RefusedThreadIsTriedAgainAndTheCallsAreCounted) {
  TappedProgram program("first_moments");
  const Outcome bare = program.RunBare({"refused"});
  const Outcome outcome = program.Run({"refused"});
  EXPECT_EQ(outcome.status, bare.status);
  const analyzer::TraceModel model = program.Read();
  EXPECT_EQ(AllCalls(model), CallsIn(outcome.output));
  EXPECT_GT(Recorded(model, "cudaLaunchKernel"), 10u);
  EXPECT_GE(Lost(model, "session_opening"), 1u);
}

// Longer than anybody waits for it.
TEST(TapHostThreadTest, SessionThatIsStillOpeningAtTheEndIsSaid) {
  TappedProgram program("first_moments");
  const Outcome bare = program.RunBare({"slow_files", "60000", "0"});
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = program.Run({"slow_files", "60000", "0"});
  const auto seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(seconds, std::chrono::seconds(10));
  EXPECT_EQ(outcome.status, bare.status);
  EXPECT_NE(outcome.output.find("dltap: no trace: "), std::string::npos)
      << outcome.output;
  EXPECT_EQ(CallsIn(outcome.output), CallsIn(bare.output));
}

// Longer than the first call waits, but not than the program runs.
TEST(TapHostThreadTest, CallsBeforeASlowSessionIsOpenAreCounted) {
  TappedProgram program("first_moments");
  const Outcome outcome = program.Run({"slow_files", "2500", "3000"});
  EXPECT_EQ(outcome.output.find("dltap: "), std::string::npos)
      << outcome.output;
  const analyzer::TraceModel model = program.Read();
  EXPECT_EQ(AllCalls(model), CallsIn(outcome.output));
  EXPECT_GE(Lost(model, "session_opening"), 1u);
}

}  // namespace
}  // namespace dltap
