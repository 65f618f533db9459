// SPDX-License-Identifier: Apache-2.0
// What is recorded, and that the program does not notice.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/integration/tap/tapped_program.h"
#include "tests/support/int_arg.h"

namespace dltap {
namespace {

TEST(TapRecordingTest, EveryCallIsRecordedOrCounted) {
  TappedProgram program("launches");
  const Outcome outcome = program.Run({"1000"});
  const analyzer::TraceModel model = program.Read();
  EXPECT_EQ(Recorded(model, "cudaLaunchKernel"), 1001u);
  EXPECT_EQ(Counted(model, "cudaGetDevice"), 1001u);
  EXPECT_EQ(Recorded(model, "cublasSgemm_v2"), 2u);
  // Failed before the session began: counted. The second one started it.
  EXPECT_EQ(Counted(model, "cudaMalloc"), 1u);
  EXPECT_EQ(Recorded(model, "cudaMalloc"), 1u);
  // cuBLAS: one creation, two GEMMs. All else arrived in the runtime library.
  EXPECT_EQ(AllCalls(model), CallsIn(outcome.output) + 3);
}

TEST(TapRecordingTest, OutputAndExitCodeAreTheProgramsOwn) {
  TappedProgram program("launches");
  const Outcome bare = program.RunBare({"10"});
  const Outcome tapped = program.Run({"10"});
  EXPECT_EQ(bare.output, tapped.output);
  EXPECT_EQ(tapped.exit_code(), 3);
}

TEST(TapRecordingTest, ArgumentsAndDepthAreKept) {
  TappedProgram program("launches");
  program.Run({"1"});
  const analyzer::TraceModel model = program.Read();
  ASSERT_EQ(model.processes.size(), 1u);
  const analyzer::Process& process = model.processes[0];
  int nested_launches = 0;
  for (const analyzer::Call& call : process.calls) {
    const auto& symbol = model.entry_points[call.entry.value()].symbol;
    if (symbol == "cublasSgemm_v2" && !call.failed) {
      EXPECT_EQ(IntArg(model, process, call, "m"), 128);
      EXPECT_EQ(IntArg(model, process, call, "k"), 32);
      EXPECT_EQ(IntArg(model, process, call, "transb"), 1);
      EXPECT_EQ(call.depth, 0);
    }
    if (symbol == "cudaLaunchKernel") nested_launches += call.depth == 1;
  }
  EXPECT_EQ(nested_launches, 1);
}

// Nothing is defined before the session, which this launch begins.
TEST(TapRecordingTest, TheVeryFirstLaunchTellsWhatItComputes) {
  TappedProgram program("told_launches");
  program.Run({"3"});
  const analyzer::TraceModel model = program.Read();
  const analyzer::Process& process = model.processes.at(0);
  EXPECT_EQ(process.calls.size(), 3u);
  for (const analyzer::Call& call : process.calls) {
    EXPECT_TRUE(call.operation.known());
  }
}

// Filters of system calls may come once a program has begun its GPU work.
TEST(TapRecordingTest, NoTableIsMadeByACallOnceTheSessionHasBegun) {
  TappedProgram program("told_launches");
  const Outcome outcome = program.Run({"3", "late"});
  EXPECT_TRUE(outcome.output.ends_with("tables 0\n")) << outcome.output;
  const analyzer::TraceModel model = program.Read();
  const auto& calls = model.processes.at(0).calls;
  EXPECT_EQ(std::count_if(calls.begin(), calls.end(),
                          [](const analyzer::Call& call) {
                            return call.operation.known();
                          }),
            3);
}

TEST(TapRecordingTest, CommandLineIsKeptAsItIs) {
  const std::vector<std::string> odd = {"1", "two words", "\xff\n\"", "", "-x"};
  TappedProgram program("launches");
  program.Run(odd);
  const analyzer::TraceModel model = program.Read();
  const std::vector<std::string>& command = model.processes.at(0).command;
  ASSERT_EQ(command.size(), odd.size() + 1);
  EXPECT_TRUE(command[0].ends_with("/tap_launches")) << command[0];
  EXPECT_EQ(std::vector(command.begin() + 1, command.end()), odd);
  EXPECT_FALSE(model.processes[0].command_is_cut);
}

TEST(TapRecordingTest, LongCommandLineIsCut) {
  TappedProgram program("launches");
  program.Run({"1", "no_file", std::string(20'000, 'x'), "last"});
  const analyzer::TraceModel model = program.Read();
  EXPECT_TRUE(model.processes.at(0).command_is_cut);
  EXPECT_EQ(model.processes[0].command.size(), 4u);
}

TEST(TapRecordingTest, FailedCallIsMarked) {
  TappedProgram program("launches");
  program.Run({"1"});
  const analyzer::TraceModel model = program.Read();
  int failed = 0;
  for (const auto& call : model.processes.at(0).calls) failed += call.failed;
  EXPECT_EQ(failed, 1);  // the GEMM without a handle
}

TEST(TapRecordingTest, CleanEndLeavesOneFile) {
  TappedProgram program("launches");
  program.Run({"1"});
  EXPECT_EQ(program.Files().size(), 1u);
  EXPECT_TRUE(program.Read().processes.at(0).complete);
}

TEST(TapRecordingTest, CallsOfExitHandlersAreRecorded) {
  TappedProgram program("endings");
  program.Run({"atexit"});
  EXPECT_EQ(Recorded(program.Read(), "cudaLaunchKernel"), 101u);
}

TEST(TapRecordingTest, ProgramWithoutGpuWorkLeavesNothing) {
  TappedProgram program("/bin/true");
  EXPECT_EQ(program.Run({}).exit_code(), 0);
  EXPECT_TRUE(program.Files().empty());
}

TEST(TapRecordingTest, DisabledLeavesNothing) {
  TappedProgram program("launches");
  program.With("DLTAP_DISABLE=1");
  EXPECT_EQ(program.Run({"10"}).exit_code(), 3);
  EXPECT_TRUE(program.Files().empty());
}

TEST(TapRecordingTest, WindowRecordsBetweenProfilerStartAndStop) {
  TappedProgram program("endings");
  program.With("DLTAP_START=off");
  EXPECT_EQ(program.Run({"window"}).exit_code(), 0);
  EXPECT_EQ(Recorded(program.Read(), "cudaLaunchKernel"), 10u);
}

TEST(TapRecordingTest, PointersCanBeLeftOut) {
  TappedProgram program("launches");
  program.With("DLTAP_POINTERS=0");
  program.Run({"1"});
  const analyzer::TraceModel model = program.Read();
  const analyzer::Process& process = model.processes.at(0);
  for (const analyzer::Call& call : process.calls) {
    const auto& symbol = model.entry_points[call.entry.value()].symbol;
    if (symbol == "cudaFree") {
      EXPECT_EQ(IntArg(model, process, call, "devPtr"), 0);
    }
  }
}

// Windows with a delay, of the class that is called, lie between windows
// without; calls say which they were in.
TEST(TapRecordingTest, LibraryCallsAreDelayedOnRequest) {
  TappedProgram program("gemms");
  program.With("DLTAP_DELAYS=30,60").With("DLTAP_DELAY_WINDOW_MS=100");
  program.With("DLTAP_LEVEL=host");
  EXPECT_EQ(program.Run({"1500"}).exit_code(), 3);
  const analyzer::TraceModel model = program.Read();
  const analyzer::Process& process = model.processes.at(0);
  ASSERT_GE(process.delays.size(), 3u);
  for (size_t i = 0; i < process.delays.size(); ++i) {
    const analyzer::DelayWindow& window = process.delays[i];
    EXPECT_FALSE(window.source_off);
    if (i % 2 == 0) {
      EXPECT_EQ(window.delay_ns, 0);
      continue;
    }
    // What calls did wait: what was asked for, or more.
    EXPECT_GE(window.delay_ns, 29'000);
    EXPECT_EQ(window.layer_class, specs::LayerClass::kGemm);
  }
  EXPECT_FALSE(process.delayed_calls.empty());
  for (const int64_t at_ns : process.delayed_calls) {
    const bool is_inside =
        std::any_of(process.delays.begin(), process.delays.end(),
                    [=](const analyzer::DelayWindow& window) {
                      // A wait may outlast its window.
                      return window.delay_ns != 0 && at_ns >= window.begin_ns &&
                             at_ns < window.end_ns + 100'000'000;
                    });
    EXPECT_TRUE(is_inside) << at_ns;
  }
}

TEST(TapRecordingTest, WithoutRequestNothingIsDelayed) {
  TappedProgram program("gemms");
  program.Run({"300"});
  const analyzer::TraceModel model = program.Read();
  EXPECT_TRUE(model.processes.at(0).delays.empty());
  EXPECT_TRUE(model.processes.at(0).delayed_calls.empty());
}

TEST(TapRecordingTest, ForkedChildIsDelayedByItsOwnSessionOnly) {
  TappedProgram program("gemms");
  program.With("DLTAP_DELAYS=30").With("DLTAP_DELAY_WINDOW_MS=200");
  program.With("DLTAP_LEVEL=host");
  EXPECT_EQ(program.Run({"900", "fork"}).exit_code(), 5);
  const analyzer::TraceModel model = program.Read();
  ASSERT_EQ(model.processes.size(), 2u);
  size_t undelayed = 0;
  for (const analyzer::Process& process : model.processes) {
    undelayed += process.delayed_calls.empty();
  }
  EXPECT_EQ(undelayed, 1u);
}

// "DOMAIN:NAME" and how often.
std::map<std::string, int> RangesOf(const analyzer::TraceModel& model) {
  std::map<std::string, int> ranges;
  for (const analyzer::Process& process : model.processes) {
    for (const analyzer::Range& range : process.ranges) {
      ++ranges[std::string(model.texts[range.domain]) + ":" +
               std::string(model.texts[range.name])];
    }
  }
  return ranges;
}

TEST(TapRecordingTest, NvtxRangesComeByInjection) {
  TappedProgram program("ranges");
  const Outcome bare = program.RunBare({});
  program.With("NVTX_INJECTION64_PATH=" DLTAP_TAP_LIBRARY);
  EXPECT_EQ(program.Run({}).output, bare.output);
  const analyzer::TraceModel model = program.Read();
  const std::map<std::string, int> expected = {
      {":step", 3}, {"TSL:thunk", 3}, {"private:layer", 1}, {":caf\u00e9", 1}};
  EXPECT_EQ(RangesOf(model), expected);
}

TEST(TapRecordingTest, ACompilersInstructionsComeWithItsRanges) {
  TappedProgram program("ranges");
  program.With("NVTX_INJECTION64_PATH=" DLTAP_TAP_LIBRARY);
  EXPECT_EQ(program.Run({"details"}).exit_code(), 0);
  const analyzer::TraceModel model = program.Read();
  std::map<std::string, std::string> details;
  for (const analyzer::Range& range : model.processes.at(0).ranges) {
    details[std::string(model.texts[range.name])] = model.texts[range.detail];
  }
  const std::map<std::string, std::string> expected = {
      {"Thunk:#hlo_op=fusion#",
       "fusion = f32[8] fusion(p)\n- train.py:1:1[step]\n"
       "op_name=\"jit(f)/mul\"\nop_name=\"jit(f)/add\"\n"},
      {"no size", ""},
      {"nowhere", ""},
      {"numbers", ""},
      {"odd", ""}};
  EXPECT_EQ(details, expected);
}

std::map<std::string, int> AnnotationsUnder(
    const std::vector<std::string>& variables,
    const std::vector<std::string>& arguments = {}) {
  TappedProgram program("annotations");
  program.With("NVTX_INJECTION64_PATH=" DLTAP_TAP_LIBRARY);
  for (const std::string& variable : variables) program.With(variable);
  EXPECT_EQ(program.Run(arguments).exit_code(), 0);
  return RangesOf(program.Read());
}

TEST(TapRecordingTest, TensorFlowNamesTheOperationsThatStartWork) {
  const std::map<std::string, int> expected = {
      {"TSL:call:StatefulPartitionedCall", 3},
      {"TSL:model/MatMul:MatMul", 3},
      {"private:nothing", 3}};
  EXPECT_EQ(AnnotationsUnder({"DLTAP_TF_NAMES=1"}), expected);
}

TEST(TapRecordingTest, TensorFlowsAnnotationsAreLeftAloneUnlessAskedFor) {
  using Ranges = std::map<std::string, int>;
  EXPECT_EQ(AnnotationsUnder({}), Ranges());
  EXPECT_EQ(AnnotationsUnder({"DLTAP_TF_NAMES=0"}), Ranges());
  EXPECT_EQ(AnnotationsUnder({"DLTAP_TF_NAMES=1", "DLTAP_LEVEL=host"}),
            Ranges());
}

TEST(TapRecordingTest, TensorFlowsAnnotationsStayOffWhereNoGpuWorks) {
  const std::map<std::string, int> expected;
  EXPECT_EQ(AnnotationsUnder({"DLTAP_TF_NAMES=1"}, {"idle"}), expected);
}

// The parent's push is none of the child's, whose session begins inside its
// first product: it has one graph, the parent three and what it forked in.
TEST(TapRecordingTest, AForkedChildTakesBackNothingOfItsParents) {
  const std::map<std::string, int> expected = {
      {"TSL:call:StatefulPartitionedCall", 1 + 3 + 1},
      {"TSL:model/MatMul:MatMul", 1 + 3 + 1},
      {"private:nothing", 3}};
  EXPECT_EQ(AnnotationsUnder({"DLTAP_TF_NAMES=1"}, {"fork"}), expected);
}

TEST(TapRecordingTest, TensorFlowsAnnotationsStayOffWhereTheTapIs) {
  TappedProgram program("annotations");
  program.With("NVTX_INJECTION64_PATH=" DLTAP_TAP_LIBRARY)
      .With("DLTAP_TF_NAMES=1")
      .With("DLTAP_DISABLE=1");
  EXPECT_EQ(program.Run({}).output, "annotations off\n");
}

TEST(TapRecordingTest, AForkedChildIsInTheRangesOfItsThread) {
  TappedProgram program("ranges");
  program.With("NVTX_INJECTION64_PATH=" DLTAP_TAP_LIBRARY)
      .With("DLTAP_RANGE=step");
  EXPECT_EQ(program.Run({"forks"}).exit_code(), 0);
  const analyzer::TraceModel model = program.Read();
  EXPECT_EQ(model.processes.size(), 4u);
  constexpr uint64_t kInside = 4 * 5 + 2 * 3;
  EXPECT_EQ(Recorded(model, "cudaLaunchKernel"), kInside);
}

TEST(TapRecordingTest, TheWindowIsOpenUntilTheLastStartedRangeEnds) {
  TappedProgram program("ranges");
  program.With("NVTX_INJECTION64_PATH=" DLTAP_TAP_LIBRARY)
      .With("DLTAP_RANGE=step");
  EXPECT_EQ(program.Run({"overlaps"}).exit_code(), 0);
  EXPECT_EQ(Recorded(program.Read(), "cudaLaunchKernel"), 1u + 2 + 4 + 8);
}

TEST(TapRecordingTest, TheWindowStaysOpenFromThreadToThread) {
  TappedProgram program("ranges");
  program.With("NVTX_INJECTION64_PATH=" DLTAP_TAP_LIBRARY)
      .With("DLTAP_RANGE=step")
      .With("DLTAP_LEVEL=host");
  EXPECT_EQ(program.Run({"hand_over"}).exit_code(), 0);
  EXPECT_EQ(Recorded(program.Read(), "cudaLaunchKernel"), 3000u);
}

TEST(TapRecordingTest, AnotherNvtxToolGetsItsRangesThroughUs) {
  const std::string tool = DLTAP_TEST_PROGRAMS "/libtap_nvtx_tool.so";
  TappedProgram alone("ranges");
  const Outcome bare =
      alone.Always("NVTX_INJECTION64_PATH=" + tool).RunBare({});
  EXPECT_EQ(bare.output,
            "tool TSL:thunk\nlevel 1\ntool TSL:thunk\ntool TSL:thunk\n"
            "tool -:-\n");
  TappedProgram program("ranges");
  program.With("NVTX_INJECTION64_PATH=" DLTAP_TAP_LIBRARY)
      .With("DLTAP_NVTX_NEXT=" + tool);
  EXPECT_EQ(program.Run({}).output, bare.output);
  const std::map<std::string, int> expected = {
      {":step", 3}, {"TSL:thunk", 3}, {":", 1}, {":caf\u00e9", 1}};
  EXPECT_EQ(RangesOf(program.Read()), expected);
}

TEST(TapRecordingTest, RegisteredStringsOfTheOlderNvtxAreNamed) {
  TappedProgram program("old_ranges");
  const Outcome bare = program.RunBare({});
  const Outcome outcome = program.Run({});
  EXPECT_EQ(outcome.output, bare.output);
  EXPECT_EQ(outcome.status, bare.status);
  const std::map<std::string, int> expected = {
      {":layer", 1}, {"OLD:layer", 1}, {":", 1}, {"OLD:", 1}};
  EXPECT_EQ(RangesOf(program.Read()), expected);
}

// As a pod has that lists each service of its cluster.
TEST(TapRecordingTest, RankAndOutputAreFoundAmongThousandsOfVariables) {
  TempDir temp;
  TappedProgram program("launches");
  program.Into(temp.path() + "/%r-%q{JOB_OF_TEST}-%q{NOT_SET}");
  for (int i = 0; i < 3000; ++i) {
    program.With("SERVICE_" + std::to_string(i) + "=" + std::string(20, 'x'));
  }
  program.With("JOB_OF_TEST=j/7").With("RANK=5");
  EXPECT_EQ(program.Run({"10"}).exit_code(), 3);
  program.Into(temp.path() + "/5-j_7-");
  const analyzer::TraceModel model = program.Read();
  ASSERT_EQ(model.processes.size(), 1u);
  EXPECT_EQ(model.processes[0].rank, 5);
}

}  // namespace
}  // namespace dltap
