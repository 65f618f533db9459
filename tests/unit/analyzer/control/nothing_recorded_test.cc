// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/nothing_recorded.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

UntracedRun RunOf(int exit_code) {
  UntracedRun run;
  run.program.executable = "/opt/app";
  run.program.is_elf = true;
  run.program.elf.is_x86_64 = true;
  run.program.elf.is_dynamic = true;
  run.exit_code = exit_code;
  run.has_gpu = true;
  return run;
}

TEST(NothingRecordedTest, ProgramsWithAndWithoutCudaAreToldApart) {
  UntracedRun run = RunOf(0);
  EXPECT_THAT(WhyNoTrace(run), HasSubstr("/opt/app names no CUDA library"));
  run.program.elf.needed = {"libcudart.so.13"};
  EXPECT_THAT(WhyNoTrace(run), HasSubstr("made no GPU work"));
  run.program.elf.needed = {};
  run.program.is_python = true;
  EXPECT_THAT(WhyNoTrace(run), HasSubstr("no framework with CUDA"));
  run.program.frameworks = {"torch"};
  EXPECT_THAT(WhyNoTrace(run), HasSubstr("made no GPU work"));
}

TEST(NothingRecordedTest, EndByCodeAndBySignalAreTold) {
  EXPECT_THAT(WhyNoTrace(RunOf(3)), HasSubstr("ended with code 3"));
  EXPECT_THAT(WhyNoTrace(RunOf(139)), HasSubstr("signal 11"));
}

TEST(NothingRecordedTest, MissingDriverIsNamedBesideTheEnd) {
  UntracedRun run = RunOf(3);
  run.has_gpu = false;
  EXPECT_THAT(WhyNoTrace(run),
              AllOf(HasSubstr("code 3"), HasSubstr("no NVIDIA driver")));
  run.exit_code = 0;
  EXPECT_THAT(WhyNoTrace(run), AllOf(HasSubstr("no NVIDIA driver"),
                                     Not(HasSubstr("CUDA library"))));
}

TEST(NothingRecordedTest, WhatTheUserTurnedOffComesFirst) {
  UntracedRun run = RunOf(3);
  run.environment["DLTAP_DISABLE"] = "yes";
  EXPECT_THAT(WhyNoTrace(run), HasSubstr("DLTAP_DISABLE"));
  run.environment["DLTAP_DISABLE"] = "0";
  EXPECT_THAT(WhyNoTrace(run), HasSubstr("code 3"));
}

TEST(NothingRecordedTest, WindowThatNeverOpenedIsNamed) {
  EXPECT_EQ(WhyNoCalls({}), "");
  EXPECT_EQ(WhyNoCalls({{"DLTAP_START", "on"}, {"DLTAP_DELAY_S", "0"}}), "");
  EXPECT_THAT(WhyNoCalls({{"DLTAP_START", "off"}}),
              HasSubstr("cudaProfilerStart"));
  EXPECT_THAT(WhyNoCalls({{"DLTAP_RANGE", "train"}}), HasSubstr("\"train\""));
  EXPECT_THAT(WhyNoCalls({{"DLTAP_DELAY_S", "60"}}), HasSubstr("60 s"));
}

}  // namespace
}  // namespace dltap::analyzer
