// SPDX-License-Identifier: Apache-2.0
// Where the ring file lies, and what becomes of it when its process is killed.
#include <sys/stat.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
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
    uint64_t launches = 0;
    while (launches == 0) {
      fs::remove_all(program_.directory());
      program_.RunAndKill({"100000000"}, kill_after_us_);
      kill_after_us_ *= 2;
      if (program_.Files().empty()) continue;
      ring_ = RingInSharedMemory(program_);
      launches = Recorded(program_.Read(), "cudaLaunchKernel");
    }
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
  // Where the start of another traced program may have moved it.
  const std::string name = fs::path(ring_).filename().string();
  fs::remove(program_.directory() + "/" + name.substr(strlen("dltap-")));
  std::vector<std::string> problems;
  const auto read = analyzer::ReadTrace({program_.directory()}, &problems);
  ASSERT_TRUE(read.ok());
  const analyzer::TraceModel& rest = *read;
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("is not there"), std::string::npos);
  EXPECT_EQ(Lost(rest, "ring_missing"), 1u);
  EXPECT_LE(Recorded(rest, "cudaLaunchKernel"),
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

TEST_F(RingPlaceTest, AMoverThatWasKilledIsNotInTheWay) {
  if (ring_.empty()) GTEST_SKIP() << "no room in shared memory";
  const uint64_t before = Recorded(program_.Read(), "cudaLaunchKernel");
  const std::string name = fs::path(ring_).filename().string();
  const std::string moved =
      program_.directory() + "/" + name.substr(strlen("dltap-"));
  std::ofstream(moved + ".new") << "the first bytes";
  TappedProgram("launches").Run({"10"});
  EXPECT_FALSE(fs::exists(ring_));
  EXPECT_FALSE(fs::exists(moved + ".new"));
  EXPECT_EQ(Recorded(program_.Read(), "cudaLaunchKernel"), before);
}

// Rings that nobody used are holes.
TEST_F(RingPlaceTest, WhatIsMovedTakesLittleOfTheDisk) {
  if (ring_.empty()) GTEST_SKIP() << "no room in shared memory";
  struct stat in_memory, moved;
  ASSERT_EQ(stat(ring_.c_str(), &in_memory), 0);
  TappedProgram("launches").Run({"10"});
  const std::string name = fs::path(ring_).filename().string();
  const std::string path =
      program_.directory() + "/" + name.substr(strlen("dltap-"));
  ASSERT_EQ(stat(path.c_str(), &moved), 0);
  EXPECT_EQ(moved.st_size, in_memory.st_size);
  EXPECT_LT(moved.st_blocks, in_memory.st_blocks);
}

TEST_F(RingPlaceTest, TheNextStartRemovesItWhenItsFolderIsGone) {
  if (ring_.empty()) GTEST_SKIP() << "no room in shared memory";
  fs::remove_all(program_.directory());
  TappedProgram("launches").Run({"10"});
  EXPECT_FALSE(fs::exists(ring_));
}

// They live for milliseconds and end by _exit: each looks after those before.
TEST(RingPlaceOfEndedTest, APoolOfShortProcessesDoesNotFillSharedMemory) {
  TappedProgram program("forks");
  program.With("DLTAP_LEVEL=host");
  EXPECT_EQ(program.Run({"pool"}).exit_code(), 0);
  size_t in_memory = 0;
  uintmax_t on_disk = 0;
  for (const std::string& file : program.Files()) {
    in_memory += fs::exists("/dev/shm/dltap-" + file + ".ring") ? 1 : 0;
    struct stat status;
    const std::string path = program.directory() + "/" + file;
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    on_disk += static_cast<uintmax_t>(status.st_blocks) * 512;
  }
  EXPECT_LE(in_memory, 90u);
  EXPECT_LE(on_disk, uintmax_t{240} << 20);
  EXPECT_EQ(Recorded(program.Read(), "cudaLaunchKernel"), 3u * 120);
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
