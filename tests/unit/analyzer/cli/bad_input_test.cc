// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "analyzer/cli/command.h"
#include "analyzer/cli/input_kind.h"
#include "analyzer/cli/load_trace.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_bytes.h"

namespace dltap::analyzer {
namespace {

using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::CaptureStdout;
using ::testing::internal::GetCapturedStderr;
using ::testing::internal::GetCapturedStdout;

// Runs commands as main does.
class CliTest : public ::testing::Test {
 protected:
  int Run(const std::string& name, const std::vector<std::string>& args) {
    CaptureStdout();
    CaptureStderr();
    int code = -1;
    for (const Command& command : AllCommands()) {
      if (command.name == name) code = command.run(args);
    }
    std::fflush(stdout);
    out_ = GetCapturedStdout();
    err_ = GetCapturedStderr();
    return code;
  }
  // One line on stderr that begins as our errors do, nothing on stdout.
  void ExpectOneErrorLine(const std::string& what) {
    EXPECT_EQ(std::count(err_.begin(), err_.end(), '\n'), 1) << err_;
    EXPECT_THAT(err_, ::testing::StartsWith("dltap: "));
    EXPECT_THAT(err_, HasSubstr(what));
    EXPECT_EQ(out_, "");
  }

  TempDir dir_;
  std::string out_;
  std::string err_;
};

constexpr const char* kReaders[] = {"report", "info", "check", "dump"};

// As PyTorch's schedule(repeat=2) writes two files.
TEST_F(CliTest, FilesOfOneProcessAtDifferentTimesAreSaidToBe) {
  const auto kernel = [this](const std::string& name, const char* pid, int at) {
    const std::string us = std::to_string(at);
    return dir_.Write(name, R"({"traceEvents": [
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 1,
 "dur": 5, "args": {"correlation": 1}, "pid": )" +
                                std::string(pid) + R"(, "ts": )" + us + R"(},
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "dur": 9,
 "args": {"correlation": 1, "device": 0, "stream": 7}, "ts": )" +
                                us + "}]}");
  };
  const std::string first = kernel("a.json", "41", 100);
  EXPECT_EQ(Run("report", {first, kernel("b.json", "41", 900)}), 0);
  EXPECT_THAT(err_, HasSubstr("with the process of another one"));
  EXPECT_EQ(Run("report", {first, kernel("c.json", "41", 102)}), 0);
  EXPECT_EQ(err_, "");
  EXPECT_EQ(Run("report", {first, kernel("d.json", "42", 900)}), 0);
  EXPECT_EQ(err_, "");
}

TEST_F(CliTest, ADirectoryIsTheTracesOfOthersInIt) {
  for (const char* name : {"b.sqlite", "a.json.gz", "c.json", "d.nsys-rep"}) {
    dir_.Write(name, "x");
  }
  const auto found = InputsAt(dir_.path());
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, (std::vector<std::string>{dir_.path() + "/a.json.gz",
                                              dir_.path() + "/b.sqlite",
                                              dir_.path() + "/c.json"}));
}

TEST_F(CliTest, AFileThatIsNamedTwiceIsReadOnce) {
  const std::string path = dir_.Write("a.json", "[");
  const auto found = FindInputs({dir_.path(), path, dir_.path() + "/./a.json"});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->paths, std::vector<std::string>{path});
}

TEST_F(CliTest, MissingFileIsNamed) {
  for (const char* command : kReaders) {
    EXPECT_EQ(Run(command, {dir_.path() + "/none"}), kExitBadInput);
    ExpectOneErrorLine("/none: no such file or directory");
  }
}

TEST_F(CliTest, WhatATraceSaysIsNoCommandToTheTerminal) {
  const std::string path = dir_.path() + "/t.txt";
  std::ofstream(path) << "format dltap\n"
                         "process pid=1 host=\"h\\x1b[2J\" program=\"p\\x1b\"\n"
                         "library torch text=\"2.11\\x1b[31m\"\n"
                         "level host reason=\"busy\\x1b[31m\"\n"
                         "device 0 name=\"T4\\x1b[31m\"\n";
  for (const char* command : {"report", "info", "check"}) {
    Run(command, {path});
    EXPECT_NE(out_, "") << command << err_;
    EXPECT_EQ(out_.find('\x1b'), std::string::npos) << command << out_;
  }
}

TEST_F(CliTest, DirectoryWithoutATraceIsNamed) {
  for (const char* command : kReaders) {
    EXPECT_EQ(Run(command, {dir_.path()}), kExitBadInput);
    ExpectOneErrorLine("holds no trace");
  }
}

TEST_F(CliTest, EmptyFileIsNamed) {
  const std::string path = dir_.Write("a.dltap", std::string_view(""));
  for (const char* command : kReaders) {
    EXPECT_EQ(Run(command, {path}), kExitBadInput);
    ExpectOneErrorLine("the file is empty");
  }
}

// A process was killed before it wrote: the others are packed.
TEST_F(CliTest, EmptyFileKeepsNoTraceFromBeingPacked) {
  TempDir run;
  run.Write("a.dltap", trace::TraceBytes().bytes());
  run.Write("b.dltap", std::string_view(""));
  const std::string pack = dir_.path() + "/pack";
  EXPECT_EQ(Run("pack", {run.path(), "-o", pack}), kExitOk);
  EXPECT_THAT(err_, HasSubstr("left out"));
  EXPECT_EQ(Run("info", {pack}), kExitOk);
  run.Write("b.dltap", std::string_view("damaged"));
  EXPECT_EQ(Run("pack", {run.path(), "-o", pack + "2"}), kExitBadInput);
}

TEST_F(CliTest, JsonThatIsNoTraceIsNamed) {
  const std::string path =
      dir_.Write("a.json", std::string_view("{\"answer\": 42}"));
  EXPECT_EQ(Run("report", {path}), kExitBadInput);
  ExpectOneErrorLine("traceEvents");
}

TEST_F(CliTest, RandomBytesAreNamed) {
  std::mt19937 random(7);
  for (int i = 0; i < 50; ++i) {
    std::vector<uint8_t> bytes(1 + random() % 3000);
    std::generate(bytes.begin(), bytes.end(), std::ref(random));
    EXPECT_EQ(Run("info", {dir_.Write("r", bytes)}), kExitBadInput);
    ExpectOneErrorLine("/r: ");
  }
}

TEST_F(CliTest, NewerFormatHasItsOwnCode) {
  trace::TraceBytes trace;
  trace.bytes()[8] = 2;
  EXPECT_EQ(Run("report", {dir_.Write("a.dltap", trace.bytes())}),
            kExitNewerFormat);
  ExpectOneErrorLine("use a newer dltap");
}

TEST_F(CliTest, UnknownOptionIsAUsageError) {
  for (const char* command : kReaders) {
    EXPECT_EQ(Run(command, {"--bogus", dir_.path()}), kExitUsage);
    ExpectOneErrorLine("--bogus");
    EXPECT_EQ(Run(command, {}), kExitUsage);
  }
}

TEST_F(CliTest, AnEmptySelectionIsAUsageError) {
  const std::string path = dir_.path() + "/t.txt";
  std::ofstream(path) << "format dltap\nprocess pid=1\n";
  for (const char* option :
       {"--window", "--steps", "--device", "--process", "--rank"}) {
    EXPECT_EQ(Run("report", {option, "", path}), kExitUsage) << option;
    ExpectOneErrorLine(std::string(option) + ": wants a value");
  }
}

TEST_F(CliTest, ANumberOutOfItsRangeIsToldItInShort) {
  for (const char* nodes : {"0", "-1", "x", ""}) {
    EXPECT_EQ(Run("predict", {"--scaling", dir_.path(), "--gradients", "1MB",
                              "--gpus-per-node", nodes}),
              kExitUsage);
    ExpectOneErrorLine("not in range 1 to 1048576");
  }
}

// Who adds up the rows of a CSV file gets what is in the trace.
TEST_F(CliTest, CsvHasAllRowsUnlessLessAreAskedFor) {
  std::string text = "format dltap\nprocess pid=1\n";
  for (int i = 0; i < 30; ++i) {
    const std::string us = std::to_string(10 * i);
    text += "kernel t=" + us + "us.." + us +
            "5us device=0 stream=7 corr=" + std::to_string(i + 1) + " name=k" +
            std::to_string(i) + "\n";
  }
  const std::string path = dir_.Write("t.txt", text);
  const auto rows = [&] {
    return std::count(out_.begin(), out_.end(), '\n') - 1;
  };
  EXPECT_EQ(Run("report", {"--csv", "--by", "kernel", path}), 0);
  EXPECT_EQ(rows(), 30);
  EXPECT_EQ(Run("report", {"--csv", "--by", "kernel", "--top", "3", path}), 0);
  EXPECT_EQ(rows(), 3);
}

TEST_F(CliTest, StepsAndWarmUpAreNotAskedForTogether) {
  const std::string path = dir_.path() + "/t.txt";
  std::ofstream(path) << "format dltap\nprocess pid=1\n";
  EXPECT_EQ(Run("report", {"--steps", "3", "--warmup", "2", path}), kExitUsage);
  ExpectOneErrorLine("excludes");
}

TEST_F(CliTest, TextOfTwoBytesALetterIsRefusedWithWhatToDo) {
  for (const std::string begin : {"\xFF\xFE", "\xFE\xFF", ""}) {
    const std::string text = begin + std::string("{\0}\0", 4);
    EXPECT_NE(Run("report", {dir_.Write("wide.json", text)}), 0);
    ExpectOneErrorLine("wide.json: UTF-16 or UTF-32 at byte 0");
    EXPECT_THAT(err_, HasSubstr("iconv"));
  }
}

TEST_F(CliTest, TraceCutAtAnyByteIsReadOrRefusedInOneLine) {
  trace::TraceBytes trace;
  trace.Entry(16, "cudaMalloc").Text(1, "name");
  trace.Calls(0, 0,
              {{.begin_ticks = 10,
                .duration_ticks = 5,
                .entry_point = 16,
                .flags = 0}});
  const std::span<const uint8_t> whole(trace.bytes());
  for (size_t size = 1; size < whole.size(); ++size) {
    const int code = Run("info", {dir_.Write("a.dltap", whole.first(size))});
    if (size < sizeof(trace::FileHeader)) {
      EXPECT_EQ(code, kExitBadInput) << size;
      ExpectOneErrorLine("a.dltap: ");
    } else {
      EXPECT_EQ(code, kExitOk) << size;
    }
  }
}

TEST_F(CliTest, CheckSaysWhatIsWrongAndWhere) {
  trace::TraceBytes trace;
  trace.Text(1, "name").Text(2, "other");
  trace.Put(trace::BlockKind::kEnd, trace::EndRecord{});
  EXPECT_EQ(Run("check", {dir_.Write("a.dltap", trace.bytes())}), kExitOk);
  trace.bytes()[sizeof(trace::FileHeader) + 40] ^= 1;
  EXPECT_EQ(Run("check", {dir_.Write("a.dltap", trace.bytes())}),
            kExitThreshold);
  EXPECT_THAT(out_, HasSubstr("bad block at byte 64"));
  EXPECT_THAT(out_, HasSubstr("corrupt_block: 1"));
}

TEST_F(CliTest, DumpIsItselfATrace) {
  trace::TraceBytes trace;
  trace.Entry(16, "cudaMalloc", {{"size", 0, 8}});
  const uint64_t size = 4096;
  trace.Calls(0, 0,
              {{.begin_ticks = 10,
                .duration_ticks = 5,
                .entry_point = 16,
                .flags = 0,
                .payload = &size,
                .payload_bytes = 8}});
  ASSERT_EQ(Run("dump", {dir_.Write("a.dltap", trace.bytes())}), kExitOk);
  const std::string first = out_;
  EXPECT_THAT(first, HasSubstr("cudaMalloc depth=0 size=4096"));
  ASSERT_EQ(Run("dump", {dir_.Write("a.txt", first)}), kExitOk);
  EXPECT_EQ(out_, first);
}

TEST_F(CliTest, RunFailsAsEnvDoes) {
  EXPECT_EQ(Run("run", {}), kExitRunFailed);
  ExpectOneErrorLine("no command given");
  EXPECT_EQ(Run("run", {"--bogus", "--", "true"}), kExitRunFailed);
  ExpectOneErrorLine("--bogus");
  EXPECT_EQ(Run("run", {"--bogus", "true"}), kExitRunFailed);
  ExpectOneErrorLine("--bogus");
  EXPECT_EQ(Run("run", {"--gpu", "sim:none", "--", "true"}), kExitRunFailed);
  ExpectOneErrorLine("h100-sxm");
}

TEST_F(CliTest, FasterWantsAKnownThingAndANumber) {
  const std::string path = dir_.path() + "/trace.txt";
  std::ofstream(path) << "format dltap\ndevice 0 name=gpu\n"
                         "kernel t=0..40us device=0 name=sgemm\n";
  for (const char* bad : {"foo=2", "=2", "", "gemm", "gemm=", "gemm=0",
                          "gemm=-1", "gemm=nan", "gemm=1e-300", "waits=2"}) {
    EXPECT_EQ(Run("predict", {"--faster", bad, path}), kExitUsage) << bad;
    ExpectOneErrorLine("--faster");
  }
  EXPECT_EQ(Run("predict", {"--faster", "gmem=2", path}), kExitUsage);
  ExpectOneErrorLine("did you mean gemm?");
  EXPECT_EQ(Run("predict", {"--faster", "lauch=2", path}), kExitUsage);
  ExpectOneErrorLine("did you mean launch?");
  EXPECT_EQ(Run("predict", {"--faster", "gemm=1", path}), kExitOk);
  EXPECT_THAT(out_, HasSubstr("GEMM 1 x: 0.04 ms (0.0 %)"));
  EXPECT_EQ(Run("predict", {"--faster", "GEMM=2.5", path}), kExitOk);
  EXPECT_THAT(out_, HasSubstr("GEMM 2.5 x: 0.02 ms"));
  EXPECT_EQ(Run("predict", {"--faster", "LSTM/RNN=2", path}), kExitOk);
  EXPECT_EQ(
      Run("predict", {"--faster", "gemm=2", "--faster", "host=inf", path}),
      kExitOk);
  EXPECT_THAT(out_, HasSubstr("GEMM 2 x, without host: "));
  const std::string other = dir_.path() + "/other.txt";
  std::filesystem::copy_file(path, other);
  EXPECT_EQ(Run("predict", {"--faster", "gemm=2", path, other}), kExitBadInput);
  ExpectOneErrorLine("text traces don't merge");
  EXPECT_EQ(Run("predict", {"--faster", "--help"}), kExitOk);
  EXPECT_THAT(out_, HasSubstr("WHAT=K"));
}

// Not what the file is called until it is whole.
TEST_F(CliTest, ExportThatCannotBeWrittenNamesWhatWasAskedFor) {
  const std::string path = dir_.path() + "/trace.txt";
  std::ofstream(path) << "format dltap\ndevice 0 name=gpu\n"
                         "kernel t=0..40us device=0 name=sgemm\n";
  for (const char* format : {"chrome", "perfetto", "nsys", "pprof"}) {
    const std::string out = dir_.path() + "/missing/out";
    EXPECT_EQ(Run("export", {"--format", format, "-o", out, path}),
              kExitBadInput);
    ExpectOneErrorLine("/missing/out: ");
  }
}

TEST_F(CliTest, FasterWantsGpuWork) {
  const std::string path = dir_.path() + "/trace.txt";
  std::ofstream(path) << "format dltap\ncall t=0..4us thread=0 malloc\n";
  EXPECT_EQ(Run("predict", {"--faster", "gemm=2", path}), kExitBadInput);
  ExpectOneErrorLine("no GPU work to replay");
}

}  // namespace
}  // namespace dltap::analyzer
