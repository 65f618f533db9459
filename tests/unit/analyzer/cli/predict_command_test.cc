// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>

#include "analyzer/cli/command.h"

namespace dltap::analyzer {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome Predict(const std::vector<std::string>& args) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const int code = RunPredict(args);
  return {.code = code,
          .out = ::testing::internal::GetCapturedStdout(),
          .err = ::testing::internal::GetCapturedStderr()};
}

std::string WriteOps(const std::string& text) {
  const std::string path = ::testing::TempDir() + "predict_command_ops.csv";
  std::ofstream(path) << text;
  return path;
}

TEST(PredictCommandTest, PrintsRowsAsJson) {
  const std::string ops = WriteOps("op,m,n,k\ngemm,512,512,512\n");
  const Outcome outcome = Predict({"--ops", ops, "--gpu", "l4", "--json"});
  EXPECT_EQ(outcome.code, kExitOk);
  EXPECT_THAT(outcome.out, StartsWith("{\"schema\":\"dltap.predict\""));
  EXPECT_THAT(outcome.out, HasSubstr("\"modelled_ms\":"));
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST(PredictCommandTest, BytesOfGradientsMayHaveAFraction) {
  const Outcome outcome =
      Predict({"--scaling", "/none", "--gradients", "102.4MB"});
  EXPECT_EQ(outcome.code, kExitBadInput);
  EXPECT_THAT(outcome.err, HasSubstr("/none: no such file"));
}

TEST(PredictCommandTest, WhatIsNoNumberOfBytesIsUsage) {
  for (const char* bytes : {"12XB", "nan", "inf", "0.1", "1e30", "MB"}) {
    const Outcome outcome =
        Predict({"--scaling", "/none", "--gradients", bytes});
    EXPECT_EQ(outcome.code, kExitUsage) << bytes;
  }
}

TEST(PredictCommandTest, MoreBucketsThanAStepCanSendAreRefused) {
  const Outcome outcome =
      Predict({"--scaling", "/none", "--gradients", "100GB", "--bucket", "1b"});
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_THAT(outcome.err, HasSubstr("more than a million all-reduces"));
}

TEST(PredictCommandTest, AcceptsADriversNameForTheGpu) {
  const std::string ops = WriteOps("op,m,n,k\ngemm,512,512,512\n");
  EXPECT_THAT(Predict({"--ops", ops, "--gpu", "Tesla T4"}).out,
              StartsWith("t4 (Tesla T4), 1 rows"));
}

TEST(PredictCommandTest, UnknownGpuIsUsageAndListsTheKnown) {
  const std::string ops = WriteOps("op,m,n,k\ngemm,512,512,512\n");
  const Outcome outcome = Predict({"--ops", ops, "--gpu", "h100"});
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_THAT(outcome.err,
              HasSubstr("unknown GPU \"h100\"; did you mean h100-pcie, "
                        "h100-sxm? known are: "));
  EXPECT_THAT(outcome.err, HasSubstr("b200"));
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(Predict({"--ops", ops, "--gpu", "zeus"}).err,
              HasSubstr("unknown GPU \"zeus\"; known are: "));
}

TEST(PredictCommandTest, RatiosReplaceTheTables) {
  // 1 GB of reads and writes, 1 M rows: bound by memory.
  const std::string ops = WriteOps("op,b,h\nrelu,1048576,1024\n");
  const auto half = [&](const std::string& ratio) {
    return Predict({"--ops", ops, "--gpu", "t4", "--ratio", ratio});
  };
  const std::string as_is = Predict({"--ops", ops, "--gpu", "t4"}).out;
  EXPECT_NE(half("sustained_bandwidth_ratio=0.37").out, as_is);
  EXPECT_EQ(half("power_fp32_ratio=0.25").out, as_is);
  EXPECT_EQ(half("speed=2").code, kExitUsage);
  EXPECT_THAT(half("speed=2").err,
              HasSubstr("unknown ratio \"speed\"; known are: kernel_fp32"));
  for (const char* bad :
       {"power_fp32_ratio", "power_fp32_ratio=", "power_fp32_ratio=0",
        "power_fp32_ratio=nan", "power_fp32_ratio=11"}) {
    EXPECT_EQ(half(bad).code, kExitUsage) << bad;
  }
}

TEST(PredictCommandTest, ReadsGzippedRows) {
  const std::string path = ::testing::TempDir() + "predict_command_ops.csv.gz";
  const gzFile file = gzopen(path.c_str(), "wb");
  gzputs(file, "op,m,n,k\ngemm,512,512,512\n");
  gzclose(file);
  EXPECT_THAT(Predict({"--ops", path, "--gpu", "t4"}).out,
              StartsWith("t4 (Tesla T4), 1 rows"));
}

TEST(PredictCommandTest, DirectoryIsBadInput) {
  const Outcome outcome = Predict({"--ops", "/", "--gpu", "l4"});
  EXPECT_EQ(outcome.code, kExitBadInput);
  EXPECT_THAT(outcome.err, HasSubstr("/: is a directory"));
}

TEST(PredictCommandTest, MissingOptionIsUsage) {
  EXPECT_EQ(Predict({"--gpu", "l4"}).code, kExitUsage);
}

TEST(PredictCommandTest, BadRowIsBadInputWithFileAndLine) {
  const std::string ops = WriteOps("op,m,n,k\ngemm,512,512,512\ngemm,1,2,x\n");
  const Outcome outcome = Predict({"--ops", ops, "--gpu", "l4", "--json"});
  EXPECT_EQ(outcome.code, kExitBadInput);
  EXPECT_THAT(outcome.err, HasSubstr(ops + ":3: column 'k' of gemm is 'x'"));
  EXPECT_THAT(outcome.out, IsEmpty());
}

TEST(PredictCommandTest, MissingFileIsBadInput) {
  const Outcome outcome = Predict({"--ops", "/no/such.csv", "--gpu", "l4"});
  EXPECT_EQ(outcome.code, kExitBadInput);
  EXPECT_THAT(outcome.err, HasSubstr("/no/such.csv: No such file"));
}

TEST(PredictCommandTest, HelpNamesColumnsAndGpus) {
  const Outcome outcome = Predict({"--help"});
  EXPECT_EQ(outcome.code, kExitOk);
  EXPECT_THAT(outcome.out, HasSubstr("conv_backward_weight"));
  EXPECT_THAT(outcome.out, HasSubstr("a100-80-pcie"));
}

}  // namespace
}  // namespace dltap::analyzer
