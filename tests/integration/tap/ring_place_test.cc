// SPDX-License-Identifier: Apache-2.0
// Where the ring file lies, and what becomes of it when its process is killed.
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/reader/trace_reader.h"
#include "gtest/gtest.h"
#include "tests/integration/tap/tapped_program.h"

namespace dltap {
namespace {

namespace fs = std::filesystem;

// Of the killed program's only data file; empty: it lies beside it.
std::string RingInSharedMemory(const TappedProgram& program) {
  for (const std::string& file : program.Files()) {
    const std::string ring =
        "/dev/shm/dltap-" + fs::path(file).filename().string() + ".ring";
    if (fs::exists(ring)) return ring;
  }
  return {};
}

class RingPlaceTest : public testing::Test {
 protected:
  RingPlaceTest() : program_("launches") {
    while (program_.Files().empty()) {
      program_.RunAndKill({"100000000"}, kill_after_us_);
      kill_after_us_ *= 2;
    }
    ring_ = RingInSharedMemory(program_);
  }

  int kill_after_us_ = 50'000;
  TappedProgram program_;
  std::string ring_;
};

TEST_F(RingPlaceTest, ReadersFindItByTheNameInTheDataFile) {
  if (ring_.empty()) GTEST_SKIP() << "no room in shared memory";
  const analyzer::TraceModel whole = program_.Read();
  EXPECT_EQ(Lost(whole, "ring_missing"), 0u);
  fs::remove(ring_);
  std::vector<std::string> problems;
  const auto read = analyzer::ReadTrace({program_.directory()}, &problems);
  ASSERT_TRUE(read.ok());
  const analyzer::TraceModel& rest = *read;
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("is not there"), std::string::npos);
  EXPECT_EQ(Lost(rest, "ring_missing"), 1u);
  EXPECT_LT(Recorded(rest, "cudaLaunchKernel"),
            Recorded(whole, "cudaLaunchKernel"));
}

TEST_F(RingPlaceTest, TheNextStartMovesItBesideItsDataFile) {
  if (ring_.empty()) GTEST_SKIP() << "no room in shared memory";
  const uint64_t before = Recorded(program_.Read(), "cudaLaunchKernel");
  TappedProgram("launches").Run({"10"});
  EXPECT_FALSE(fs::exists(ring_));
  EXPECT_EQ(Recorded(program_.Read(), "cudaLaunchKernel"), before);
  EXPECT_EQ(Lost(program_.Read(), "ring_missing"), 0u);
}

TEST_F(RingPlaceTest, TheNextStartRemovesItWhenItsFolderIsGone) {
  if (ring_.empty()) GTEST_SKIP() << "no room in shared memory";
  fs::remove_all(program_.directory());
  TappedProgram("launches").Run({"10"});
  EXPECT_FALSE(fs::exists(ring_));
}

TEST(RingPlaceOfEndedTest, AnEndedProcessLeavesNone) {
  TappedProgram program("launches");
  program.Run({"1000"});
  EXPECT_TRUE(program.Read().processes.at(0).complete);
  EXPECT_TRUE(RingInSharedMemory(program).empty());
  EXPECT_EQ(program.Files().size(), 1u);
}

}  // namespace
}  // namespace dltap
