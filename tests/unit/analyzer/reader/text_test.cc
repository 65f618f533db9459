// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/reader/text/text_line.h"
#include "analyzer/reader/text/text_parser.h"
#include "tests/support/int_arg.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

using ::testing::HasSubstr;

TEST(TextLineTest, ReadsTimesInEveryUnit) {
  EXPECT_EQ(ParseTime("7"), 7);
  EXPECT_EQ(ParseTime("7ns"), 7);
  EXPECT_EQ(ParseTime("1.5us"), 1500);
  EXPECT_EQ(ParseTime("-2ms"), -2'000'000);
  EXPECT_EQ(ParseTime("0.000000001s"), 1);
  EXPECT_EQ(ParseTime("fast"), std::nullopt);
  EXPECT_EQ(ParseTime("99999999999999s"), std::nullopt);
}

TEST(TextLineTest, SpanTakesTheUnitOfItsEnd) {
  const auto span = ParseSpan("10..12us");
  ASSERT_TRUE(span);
  EXPECT_EQ(span->begin_ns, 10'000);
  EXPECT_EQ(span->end_ns, 12'000);
  EXPECT_EQ(ParseSpan("900ns..1us")->begin_ns, 900);
  EXPECT_FALSE(ParseSpan("12..10us"));
}

TEST(TextLineTest, QuotedTextSurvivesBothWays) {
  const std::string odd = "a \"b\" \\ \x01\xff#=";
  const auto line = TextLine::Scan("kernel name=" + Quoted(odd) + " # comment");
  ASSERT_TRUE(line.ok());
  TextLine copy = *line;
  EXPECT_EQ(copy.Get("name"), odd);
}

TEST(TraceTextTest, CallHasArgumentsDepthAndEntryPoint) {
  const TraceModel model = TraceFromText(
      "call t=0..10us thread=0 cublasSgemm_v2 m=128 alpha=0.5 stream=0x10\n"
      "call t=2..4us thread=0 cudaLaunchKernel\n");
  const Process& process = model.processes[0];
  ASSERT_EQ(process.calls.size(), 2);
  EXPECT_EQ(process.calls[0].depth, 0);
  EXPECT_EQ(process.calls[1].depth, 1);
  EXPECT_EQ(IntArg(model, process, process.calls[0], "m"), 128);
  EXPECT_EQ(IntArg(model, process, process.calls[0], "stream"), 16);
  EXPECT_EQ(IntArg(model, process, process.calls[1], "m"), std::nullopt);
  const EntryPoint& entry = model.entry_points[process.calls[0].entry.value()];
  EXPECT_EQ(entry.symbol, "cublasSgemm_v2");
  EXPECT_NE(entry.info, nullptr);
}

TEST(TraceTextTest, DumpsOfTheFirstFormatStillRead) {
  const TraceModel model =
      TraceFromText("launchapi t=2..4us thread=0 corr=7 cbid=211\n");
  EXPECT_EQ(model.processes[0].launches[0].api, 211);
}

TEST(TraceTextTest, LaunchNamesItsCallByBeginTime) {
  const TraceModel model = TraceFromText(
      "call t=0..10us thread=0 cublasSgemm_v2\n"
      "launchapi t=2..4us thread=0 corr=7 ext=0us\n"
      "kernel t=20..45us device=0 stream=7 corr=7 name=sgemm grid=8,8 "
      "block=128\n");
  const Process& process = model.processes[0];
  EXPECT_EQ(process.launches[0].external, process.calls[0].begin_ticks);
  EXPECT_EQ(process.activities[0].correlation, 7);
  const LaunchShape& shape = process.launch_shapes[process.activities[0].shape];
  EXPECT_EQ(shape.grid[1], 8);
  EXPECT_EQ(shape.grid[2], 1);
  EXPECT_EQ(shape.block[0], 128);
}

TEST(TraceTextTest, SaysWhichLineIsWrong) {
  const auto unknown_kind = ParseTraceText("# x\nkernle t=1us\n");
  EXPECT_THAT(unknown_kind.status().message(),
              HasSubstr("line 2: unknown kind of record \"kernle\""));
  const auto unknown_key = ParseTraceText("kernel t=1us nmae=x\n");
  EXPECT_THAT(unknown_key.status().message(),
              HasSubstr("unknown key \"nmae\""));
  const auto bad_value = ParseTraceText("kernel t=1us corr=seven\n");
  EXPECT_THAT(bad_value.status().message(), HasSubstr("\"seven\" for corr"));
  const auto bad_quote = ParseTraceText("kernel t=1us name=\"x\n");
  EXPECT_THAT(bad_quote.status().message(), HasSubstr("missing \""));
}

constexpr char kEverything[] =
    "format dltap\n"
    "entry cublasSgemm_v2 library=\"cublas\"\n"
    "entry cudnnBackendExecute\n"
    "entry cudaGetDevice\n"
    "operation 1 conv_forward storage=f16 math=f32 batch=32 channels_in=3\n"
    "operation 1 pointwise storage=f16 math=f16 elements_in=9\n"
    "process pid=12 host=\"h\" program=\"python\" framework=\"torch 2.11.0\" "
    "rank=1 world_size=2 residual=40ns incomplete\n"
    "level host reason=\"CUPTI is busy\"\n"
    "overhead per_call=20ns collector_cpu=3000ns\n"
    "argument text=\"python\"\n"
    "argument text=\"a \\xff\\x0a\"\n"
    "argument cut\n"
    "library cudnn version=91900\n"
    "library torch text=\"2.11.0\"\n"
    "thread 0 tid=12 name=\"python\"\n"
    "thread 1 tid=13\n"
    "device 0 name=\"NVIDIA H100\" cc=9.0 sms=132 memory=85899345920 "
    "uuid=\"646c\" simulated\n"
    "range t=0..90ns thread=0 name=\"step\" kind=step domain=\"d\"\n"
    "call t=0..10ns thread=0 cublasSgemm_v2 depth=0 m=-1 alpha=0.5 "
    "a=0x7f00\n"
    "launchapi t=2..4ns thread=0 corr=7 api=211 ext=0ns\n"
    "memcpy t=3..5ns device=0 stream=7 corr=8 bytes=64 kind=htod "
    "src=pageable dst=device\n"
    "sample t=5ns thread=1 on_cpu=1 cpu=70ns\n"
    "memset t=6..8ns device=0 stream=7 bytes=16 dst=device\n"
    "call t=11..12ns thread=1 cudnnBackendExecute depth=0 failed capturing "
    "operation=1\n"
    "kernel t=20..45ns device=0 stream=9 context=2 corr=7 graph=3 "
    "graph_node=77 name=\"k<\\\"x\\\">\" grid=8,8,1 block=128,1,1 "
    "static_shared=48 registers=32\n"
    "sync t=46..47ns kind=stream_wait corr=9 device=0 stream=7 event=5 "
    "record=7 record_stream=9 record_context=2\n"
    "sync t=48..49ns kind=event corr=10 event=6\n"
    "not_observed t=50..60ns device=0 cause=yielded\n"
    "graphnode 77 thread=0 call=0ns\n"
    "graphnode 78 original=77\n"
    "graphnode 79 call_ticks=987654321\n"
    "open t=70ns thread=1 cudaGetDevice\n"
    "count cudaGetDevice 900\n"
    "loss ring_full 3\n";

TEST(TraceTextTest, WhatIsPrintedReadsBackTheSame) {
  EXPECT_EQ(TextFromTrace(TraceFromText(kEverything)), kEverything);
}

TEST(TraceTextTest, CanonicalFormHidesWhatDiffersBetweenEqualRuns) {
  const std::string first = TextFromTrace(
      TraceFromText("process pid=1 host=a program=p\n"
                    "call t=0..1us cudaMalloc p=0x7f10 q=0x7f20 r=0x7f10\n"
                    "kernel t=2..3us corr=51 name=k\n"
                    "sample t=1us cpu=7ns\n"),
      true);
  const std::string second = TextFromTrace(
      TraceFromText("process pid=2 host=b program=p\n"
                    "call t=5..6us cudaMalloc p=0x9990 q=0x8880 r=0x9990\n"
                    "kernel t=7..8us corr=99 name=k\n"
                    "sample t=8us cpu=9ns\n"),
      true);
  EXPECT_EQ(first, second);
  EXPECT_THAT(first, HasSubstr("p=0x1 q=0x2 r=0x1"));
}

TEST(TraceTextTest, CanonicalThreadsAreThoseThatWorkedFirst) {
  const std::string watched_late =
      TextFromTrace(TraceFromText("thread 0 name=main\n"
                                  "thread 1 name=autograd\n"
                                  "thread 2 name=watchdog\n"
                                  "call t=0..1us thread=0 cudaMalloc\n"
                                  "call t=2..3us thread=1 cudaMalloc\n"),
                    true);
  const std::string watched_early =
      TextFromTrace(TraceFromText("thread 0 name=main\n"
                                  "thread 1 name=watchdog\n"
                                  "thread 2 name=autograd\n"
                                  "call t=0..1us thread=0 cudaMalloc\n"
                                  "call t=2..3us thread=2 cudaMalloc\n"),
                    true);
  EXPECT_EQ(watched_late, watched_early);
  EXPECT_THAT(watched_early, HasSubstr("thread 2 name=\"watchdog\""));
}

}  // namespace
}  // namespace dltap::analyzer
