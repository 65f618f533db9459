// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/output_path.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace dltap::shim {
namespace {

std::string Expand(const char* pattern,
                   std::vector<const char*> environment = {}) {
  environment.push_back(nullptr);
  char path[64];
  const OutputNames names = {"node1", "python3.11", 42, environment.data()};
  return ExpandOutput(pattern, names, path) ? path : "refused";
}

TEST(OutputPathTest, DefaultNamesProgramAndProcess) {
  EXPECT_EQ(Expand(""), "dltap-python3.11-42");
  EXPECT_EQ(Expand(nullptr), "dltap-python3.11-42");
}

TEST(OutputPathTest, LettersAreReplaced) {
  EXPECT_EQ(Expand("/data/%h/%p"), "/data/node1/42");
  EXPECT_EQ(Expand("100%%"), "100%");
  EXPECT_EQ(Expand("%q{JOB}-x", {"JOB=train"}), "train-x");
  EXPECT_EQ(Expand("[%q{NOT_SET}]"), "[]");
}

TEST(OutputPathTest, RankComesFromWhicheverLauncher) {
  EXPECT_EQ(Expand("r%r"), "r0");
  EXPECT_EQ(Expand("r%r", {"RANK=5"}), "r5");
  EXPECT_EQ(Expand("r%r", {"SLURM_PROCID=7"}), "r7");
  EXPECT_EQ(Expand("r%r", {"SLURM_PROCID=7", "RANK=5"}), "r5");
}

TEST(OutputPathTest, ValuesCannotLeaveTheDirectory) {
  EXPECT_EQ(Expand("out/%q{JOB}", {"JOB=../../etc"}), "out/.._.._etc");
}

TEST(OutputPathTest, UnknownLetterOrBrokenNameIsRefused) {
  for (const char* bad : {"%x", "a%", "%q", "%qJOB", "%q{JOB"}) {
    EXPECT_EQ(Expand(bad), "refused") << bad;
  }
}

TEST(OutputPathTest, TooLongIsRefused) {
  EXPECT_EQ(Expand(std::string(63, 'x').c_str()), std::string(63, 'x'));
  EXPECT_EQ(Expand(std::string(64, 'x').c_str()), "refused");
}

TEST(MakeDirectoriesTest, CreatesWhatIsMissing) {
  TempDir temp;
  const std::string path = temp.path() + "/a/b/c";
  EXPECT_EQ(MakeDirectories(path.c_str()), 0);
  EXPECT_TRUE(std::filesystem::is_directory(path));
  EXPECT_EQ(MakeDirectories(path.c_str()), 0);
}

TEST(MakeDirectoriesTest, FileInTheWayIsAnError) {
  TempDir temp;
  const std::string path = temp.Write("file", "x") + "/below";
  EXPECT_EQ(MakeDirectories(path.c_str()), ENOTDIR);
}

}  // namespace
}  // namespace dltap::shim
