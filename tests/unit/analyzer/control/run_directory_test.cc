// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/run_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/temp_dir.h"

namespace dltap::analyzer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(RunDirectoryTest, IsNamedAfterTheProgramOrItsScript) {
  EXPECT_THAT(DefaultRunDirectory({"/usr/bin/cnn", "--steps"}, 0),
              StartsWith("dltap-cnn-19"));
  EXPECT_THAT(DefaultRunDirectory({"python3", "-u", "a/train.py", "x"}, 0),
              StartsWith("dltap-train-"));
  EXPECT_THAT(DefaultRunDirectory({"python"}, 0), StartsWith("dltap-python-"));
}

TEST(RunDirectoryTest, PatternsAreExpanded) {
  setenv("DLTAP_TEST_JOB", "j7", 1);
  setenv("RANK", "3", 1);
  EXPECT_EQ(*ExpandOutput("out-%q{DLTAP_TEST_JOB}-%r-100%%"), "out-j7-3-100%");
  EXPECT_EQ(*ExpandOutput("%p"), std::to_string(getpid()));
  unsetenv("RANK");
  EXPECT_EQ(*ExpandOutput("%r"), "0");
  EXPECT_THAT(ExpandOutput("out-%x").status().message(), HasSubstr("%q{NAME}"));
  EXPECT_FALSE(ExpandOutput("out-%").ok());
  EXPECT_FALSE(ExpandOutput("out-%q{OPEN").ok());
}

TEST(RunDirectoryTest, PatternsMeanWhatTheyMeanToTheTap) {
  setenv("SLURM_PROCID", "0", 1);
  setenv("OMPI_COMM_WORLD_RANK", "6", 1);
  setenv("DLTAP_TEST_JOB", "a/b", 1);
  EXPECT_EQ(*ExpandOutput("%r"), "6");
  EXPECT_EQ(*ExpandOutput("x%q{DLTAP_TEST_JOB}"), "xa_b");
  EXPECT_EQ(*ExpandOutput("x%q{DLTAP_TEST_NOT_SET}"), "x");
  unsetenv("SLURM_PROCID");
  unsetenv("OMPI_COMM_WORLD_RANK");
}

TEST(RunDirectoryTest, IsMadeWithItsParents) {
  TempDir dir;
  const auto made = MakeRunDirectory(dir.path() + "/a/b", false);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(std::filesystem::is_directory(*made));
  EXPECT_TRUE(MakeRunDirectory(*made, false).ok());
}

TEST(RunDirectoryTest, OldTraceIsNotMixedWithANewOne) {
  TempDir dir;
  dir.Write("h-b-1-2-0.dltap", std::string_view("x"));
  EXPECT_THAT(MakeRunDirectory(dir.path(), false).status().message(),
              HasSubstr("holds a trace already"));
  EXPECT_TRUE(MakeRunDirectory(dir.path(), true).ok());
}

TEST(RunDirectoryTest, FileInTheWayIsToldOf) {
  TempDir dir;
  const std::string path = dir.Write("file", std::string_view("x"));
  EXPECT_THAT(MakeRunDirectory(path + "/sub", false).status().message(),
              HasSubstr("cannot create it"));
}

}  // namespace
}  // namespace dltap::analyzer
