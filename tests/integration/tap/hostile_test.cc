// SPDX-License-Identifier: Apache-2.0
// Programs that fork, jump, cancel, look up and die in every way.
#include <sys/mount.h>

#include <csignal>
#include <fstream>
#include <random>

#include "gtest/gtest.h"
#include "tests/integration/tap/tapped_program.h"

namespace dltap {
namespace {

TEST(TapHostileTest, RtldLocalPluginReachesItsLibrary) {
  TappedProgram program("plugin_host");
  const Outcome outcome =
      program.Run({DLTAP_TEST_PROGRAMS "/libtap_plugin.so"});
  EXPECT_EQ(outcome.exit_code(), 0) << outcome.output;
  EXPECT_EQ(Recorded(program.Read(), "cudaLaunchKernel"), 30u);
}

TEST(TapHostileTest, DlsymUserSeesNoDifferenceAndIsRecorded) {
  TappedProgram program("dlsym_user");
  EXPECT_EQ(program.RunBare({}).output, "");
  const Outcome outcome = program.Run({});
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.exit_code(), 0);
  const analyzer::TraceModel model = program.Read();
  EXPECT_EQ(Recorded(model, "cudaLaunchKernel"), 50u);
  EXPECT_EQ(Recorded(model, "cudaMalloc"), 1u);
}

class ForkTest : public testing::TestWithParam<const char*> {};

TEST_P(ForkTest, ParentAndChildKeepTheirOwnAccounts) {
  const std::string mode = GetParam();
  TappedProgram program("forks");
  const Outcome bare = program.RunBare({mode});
  const Outcome outcome = program.Run({mode});
  EXPECT_EQ(outcome.output, bare.output);
  EXPECT_EQ(outcome.exit_code(), bare.exit_code());
  const bool child_launches =
      mode == "fork" || mode == "_Fork" || mode == "clone";
  const analyzer::TraceModel model = program.Read();
  EXPECT_EQ(model.processes.size(), child_launches ? 2u : 1u);
  EXPECT_EQ(Recorded(model, "cudaLaunchKernel"), child_launches ? 40u : 20u);
}

INSTANTIATE_TEST_SUITE_P(Ways, ForkTest,
                         testing::Values("fork", "_Fork", "clone", "vfork",
                                         "spawn", "idle"));

TEST(TapHostileTest, AChildsDescriptorsAreNotTakenForItsParentsOnes) {
  TappedProgram program("forks");
  EXPECT_EQ(program.RunBare({"taken"}).exit_code(), 0);
  EXPECT_EQ(program.Run({"taken"}).exit_code(), 0);
  EXPECT_EQ(Recorded(program.Read(), "cudaLaunchKernel"), 40u);
}

TEST(TapHostileTest, DescriptorsDoNotGrowFromGenerationToGeneration) {
  TappedProgram program("forks");
  EXPECT_EQ(program.RunBare({"generations"}).exit_code(), 0);
  EXPECT_EQ(program.Run({"generations"}).exit_code(), 0);
  EXPECT_EQ(Recorded(program.Read(), "cudaLaunchKernel"), 90u);
}

TEST(TapHostileTest, ExecGivesTheNewProgramItsOwnFile) {
  TappedProgram program("forks");
  program.Run({"exec"});
  // The child of mode "exec" runs the program anew, whose child launches too.
  const analyzer::TraceModel model = program.Read();
  EXPECT_EQ(model.processes.size(), 3u);
  EXPECT_EQ(Recorded(model, "cudaLaunchKernel"), 60u);
}

TEST(TapHostileTest, AProgramThatExecsAfterWorkKeepsBothAccounts) {
  TappedProgram program("endings");
  EXPECT_EQ(program.Run({"exec"}).exit_code(), 0);
  const analyzer::TraceModel model = program.Read();
  ASSERT_EQ(model.processes.size(), 2u);
  EXPECT_FALSE(model.processes[0].complete);
  EXPECT_TRUE(model.processes[1].complete);
  EXPECT_EQ(Recorded(model, "cudaLaunchKernel"), 200u);
  EXPECT_EQ(Lost(model, "ring_missing"), 0u);
}

TEST(TapHostileTest, SuddenEndsLoseNothing) {
  for (const char* mode : {"_exit", "abort", "kill"}) {
    TappedProgram program("endings");
    const Outcome bare = program.RunBare({mode});
    const Outcome outcome = program.Run({mode});
    EXPECT_EQ(outcome.exit_code(), bare.exit_code()) << mode;
    EXPECT_EQ(outcome.signal_number(), bare.signal_number()) << mode;
    const analyzer::TraceModel model = program.Read();
    EXPECT_EQ(Recorded(model, "cudaLaunchKernel"), 100u) << mode;
    EXPECT_FALSE(model.processes.at(0).complete) << mode;
  }
}

TEST(TapHostileTest, LongjmpOutOfACallDoesNotNestWhatFollows) {
  TappedProgram program("endings");
  EXPECT_EQ(program.Run({"longjmp"}).exit_code(), 0);
  const analyzer::TraceModel model = program.Read();
  EXPECT_EQ(Recorded(model, "cudaLaunchKernel"), 101u);
  for (const auto& call : model.processes.at(0).calls) {
    EXPECT_EQ(call.depth, 0);
  }
}

TEST(TapHostileTest, LongjmpHealsAlsoForCallsFromDeeperFrames) {
  TappedProgram program("endings");
  EXPECT_EQ(program.Run({"longjmp_deeper"}).exit_code(), 0);
  const analyzer::TraceModel model = program.Read();
  EXPECT_EQ(Recorded(model, "cudaLaunchKernel"), 1100u);
  int nested = 0;
  for (const auto& call : model.processes.at(0).calls) nested += call.depth;
  EXPECT_LE(nested, 64);
}

TEST(TapHostileTest, CallInsideACallIsNested) {
  TappedProgram program("endings");
  program.Run({"nested"});
  const analyzer::TraceModel model = program.Read();
  int nested = 0;
  for (const auto& call : model.processes.at(0).calls) nested += call.depth;
  EXPECT_EQ(nested, 1);
}

TEST(TapHostileTest, SignalHandlersCallsAreRecordedOrCountedAsLost) {
  TappedProgram program("endings");
  const Outcome outcome = program.Run({"signals"});
  const analyzer::TraceModel model = program.Read();
  EXPECT_EQ(AllCalls(model), CallsIn(outcome.output));
  EXPECT_EQ(Recorded(model, "cudaLaunchKernel") + Lost(model, "signal_handler"),
            2200u);
}

TEST(TapHostileTest, ThreadChurnLosesNothingUncounted) {
  TappedProgram program("threads");
  const Outcome outcome = program.Run({"320", "20"});
  const analyzer::TraceModel model = program.Read();
  // A cancelled thread never comes back from its synchronize call: no record.
  EXPECT_LE(AllCalls(model), CallsIn(outcome.output));
  EXPECT_GE(AllCalls(model) + 40, CallsIn(outcome.output));
  EXPECT_EQ(
      Recorded(model, "cudaLaunchKernel") + Counted(model, "cudaLaunchKernel"),
      320u * 20u);
}

// Lost is what had no record, once each; what is only counted is not. On a busy
// machine most threads give up before there are rings for as many as can be.
TEST(TapHostileTest, CallsOfMoreThreadsThanCanBeRecordedAreLostOnce) {
  constexpr uint64_t kThreads = 2200, kLaunches = 5;
  TappedProgram program("crowd");
  const Outcome outcome = program.Run({"2200", "5"});
  const analyzer::TraceModel model = program.Read();
  const uint64_t counted = Counted(model, "cudaLaunchKernel");
  EXPECT_EQ(Recorded(model, "cudaLaunchKernel") + counted,
            kThreads * kLaunches + 1);
  EXPECT_EQ(AllCalls(model), CallsIn(outcome.output));
  EXPECT_GT(counted, 0u);
  EXPECT_EQ(Lost(model, "thread_cap") + Lost(model, "ring_unavailable"),
            counted);
}

TEST(TapHostileTest, ThreadsThatAreTooManyAreSaidToBe) {
  constexpr uint64_t kThreads = 2200, kLaunches = 5, kMostThreads = 2048;
  TappedProgram program("crowd");
  program.Run({"2200", "5", "0", "in_turn"});
  const analyzer::TraceModel model = program.Read();
  const uint64_t counted = Counted(model, "cudaLaunchKernel");
  EXPECT_EQ(Recorded(model, "cudaLaunchKernel") + counted,
            kThreads * kLaunches + 1);
  // The main thread is one of them.
  EXPECT_LE(Recorded(model, "cudaLaunchKernel"),
            (kMostThreads - 1) * kLaunches + 1);
  EXPECT_GT(Lost(model, "thread_cap"), 0u);
  EXPECT_EQ(Lost(model, "thread_cap") + Lost(model, "ring_unavailable"),
            counted);
}

TEST(TapHostileTest, WhereRingsHaveNoRoomThreadsAreNotToldToBeTooMany) {
  constexpr uint64_t kThreads = 300, kLaunches = 5;
  TappedProgram program("crowd");
  const Outcome outcome = program.Run({"300", "5", "8"});
  EXPECT_EQ(outcome.exit_code(), 0);
  const analyzer::TraceModel model = program.Read();
  const uint64_t counted = Counted(model, "cudaLaunchKernel");
  EXPECT_EQ(Recorded(model, "cudaLaunchKernel") + counted,
            kThreads * kLaunches + 1);
  EXPECT_GT(counted, 0u);
  EXPECT_EQ(Lost(model, "thread_cap"), 0u);
  EXPECT_EQ(Lost(model, "ring_unavailable"), counted);
}

// A file system of that size, for the life of the test.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& options) {
    is_mounted_ = mount("dltap_test", temp_.path().c_str(), "tmpfs", MS_NOSUID,
                        options.c_str()) == 0;
  }
  ~SmallDisk() {
    if (is_mounted_) umount2(temp_.path().c_str(), MNT_DETACH);
  }
  bool is_mounted() const { return is_mounted_; }
  const std::string& path() const { return temp_.path(); }

 private:
  TempDir temp_;
  bool is_mounted_;
};

TEST(TapHostileTest, FullDiskStopsTheTraceNotTheProgram) {
  for (const char* size : {"size=64k", "size=1m", "size=4m", "size=12m"}) {
    SmallDisk disk(size);
    if (!disk.is_mounted()) GTEST_SKIP() << "mounting needs privileges";
    TappedProgram program("launches");
    program.Into(disk.path() + "/out").With("DLTAP_LOG=off");
    const Outcome bare = program.RunBare({"200000"});
    const Outcome outcome = program.Run({"200000"});
    EXPECT_EQ(outcome.exit_code(), 3) << size;
    EXPECT_EQ(outcome.output, bare.output) << size;
  }
}

TEST(TapHostileTest, UnwritableDirectoryLeavesTheProgramAlone) {
  TempDir temp;
  TappedProgram program("launches");
  program.Into(temp.Write("file", "x") + "/out").With("DLTAP_LOG=off");
  EXPECT_EQ(program.Run({"10"}).exit_code(), 3);
}

TEST(TapHostileTest, SizeLimitStopsTheTraceAndSaysSo) {
  TappedProgram program("launches");
  program.With("DLTAP_MAX_MB=3:stop").With("DLTAP_LOG=off");
  EXPECT_EQ(program.Run({"1000000"}).exit_code(), 3);
  const analyzer::TraceModel model = program.Read();
  EXPECT_GT(Recorded(model, "cudaLaunchKernel"), 0u);
  EXPECT_LT(Recorded(model, "cudaLaunchKernel"), 1000000u);
  EXPECT_GT(Lost(model, "max_mb"), 0u);
}

uint64_t ReadCount(const std::string& path) {
  uint64_t count = 0;
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(&count), sizeof(count));
  return count;
}

// A launch that has returned is in the trace or counted as lost, whenever the
// program is killed; nothing is torn.
TEST(TapHostileTest, KilledAtRandomMomentsNoCommittedRecordIsLost) {
  std::mt19937 random(20240601);
  for (int round = 0; round < 200 && !HasFailure(); ++round) {
    TempDir temp;
    const std::string count = temp.Write("count", std::string(8, '\0'));
    TappedProgram program("launches");
    const int microseconds = 2'000 + static_cast<int>(random() % 60'000);
    const Outcome outcome =
        program.RunAndKill({"100000000", count}, microseconds);
    ASSERT_EQ(outcome.signal_number(), SIGKILL);
    const uint64_t returned = ReadCount(count);
    if (program.Files().empty()) {
      EXPECT_EQ(returned, 0u);
      continue;
    }
    const analyzer::TraceModel model = program.Read();
    EXPECT_GE(Recorded(model, "cudaLaunchKernel") + Lost(model, "ring_full"),
              returned);
    EXPECT_EQ(Lost(model, "missing_slots"), 0u);
    EXPECT_EQ(Lost(model, "corrupt_block"), 0u);
    EXPECT_EQ(Lost(model, "dangling_id"), 0u);
  }
}

}  // namespace
}  // namespace dltap
