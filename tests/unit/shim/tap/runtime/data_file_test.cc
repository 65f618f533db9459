// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/data_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace dltap::shim {
namespace {

class DataFileTest : public testing::Test {
 protected:
  DataFileTest() { dir_fd_ = open(temp_.path().c_str(), O_DIRECTORY); }
  ~DataFileTest() override { close(dir_fd_); }

  uint64_t SizeOf(const std::string& name) const {
    return std::filesystem::file_size(temp_.path() + "/" + name);
  }
  // On disk, in all segments.
  uint64_t AllocatedBytes() const {
    uint64_t bytes = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(temp_.path())) {
      struct stat status;
      if (stat(entry.path().c_str(), &status) == 0) {
        bytes += static_cast<uint64_t>(status.st_blocks) * 512;
      }
    }
    return bytes;
  }
  bool Exists(const std::string& name) const {
    return std::filesystem::exists(temp_.path() + "/" + name);
  }

  TempDir temp_;
  int dir_fd_;
  DataFile file_;
};

TEST_F(DataFileTest, IsPrivateNewAndHoldsNothingBeyondItsBlocks) {
  ASSERT_EQ(file_.Create(dir_fd_, "a", {}, 1 << 30, SizePolicy::kStop), 0);
  const std::vector<uint8_t> block(1000, 7);
  EXPECT_EQ(file_.Write(block), WriteResult::kWritten);
  EXPECT_EQ(SizeOf("a.dltap"), sizeof(trace::FileHeader) + 1000);
  struct stat status;
  ASSERT_EQ(stat((temp_.path() + "/a.dltap").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  DataFile other;
  EXPECT_EQ(other.Create(dir_fd_, "a", {}, 1 << 30, SizePolicy::kStop), EEXIST);
}

// It stays if the process ends without closing the file.
TEST_F(DataFileTest, WhatIsAllocatedAheadIsLittleInAShortTrace) {
  ASSERT_EQ(file_.Create(dir_fd_, "a", {}, 1 << 30, SizePolicy::kStop), 0);
  const std::vector<uint8_t> block(1 << 20);
  EXPECT_EQ(file_.Write({block.data(), 1000}), WriteResult::kWritten);
  EXPECT_LE(AllocatedBytes(), 512u << 10);
  for (uint64_t i = 1; i <= 64; ++i) {
    ASSERT_EQ(file_.Write(block), WriteResult::kWritten);
    EXPECT_LE(AllocatedBytes(), (2 * i + 1) << 20);
  }
}

TEST_F(DataFileTest, StopPolicyRefusesWhatWouldExceedTheLimit) {
  ASSERT_EQ(file_.Create(dir_fd_, "a", {}, 1 << 20, SizePolicy::kStop), 0);
  const std::vector<uint8_t> block(600'000);
  EXPECT_EQ(file_.Write(block), WriteResult::kWritten);
  EXPECT_EQ(file_.Write(block), WriteResult::kLimitReached);
  EXPECT_LT(SizeOf("a.dltap"), 1u << 20);
}

TEST_F(DataFileTest, RingPolicyKeepsTheNewestSegmentsWithinTheLimit) {
  constexpr uint64_t kLimit = 4 << 20;
  ASSERT_EQ(file_.Create(dir_fd_, "a", {}, kLimit, SizePolicy::kRing), 0);
  const std::vector<uint8_t> block(100 << 10);
  for (int i = 0; i < 200; ++i) {
    if (file_.room() < block.size()) {
      ASSERT_TRUE(file_.NextSegment()) << i;
    }
    ASSERT_EQ(file_.Write(block), WriteResult::kWritten) << i;
    ASSERT_LE(AllocatedBytes(), kLimit) << i;
  }
  EXPECT_FALSE(Exists("a.dltap"));
  EXPECT_GT(AllocatedBytes(), kLimit / 2);
  EXPECT_GT(file_.deleted_bytes(), 0u);
}

TEST_F(DataFileTest, ARemovedFileEndsTheTrace) {
  ASSERT_EQ(file_.Create(dir_fd_, "a", {}, 1 << 30, SizePolicy::kStop), 0);
  std::filesystem::remove(temp_.path() + "/a.dltap");
  const std::vector<uint8_t> block(1000, 7);
  EXPECT_EQ(file_.Write(block), WriteResult::kFailed);
  EXPECT_EQ(file_.last_error(), ENOENT);
}

// SIGXFSZ would end the program.
TEST_F(DataFileTest, NeverGrowsBeyondTheProcessesFileSizeLimit) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {128 << 10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_EQ(file_.Create(dir_fd_, "a", {}, 1 << 30, SizePolicy::kStop), 0);
  const std::vector<uint8_t> block(60 << 10);
  const WriteResult first = file_.Write(block);
  const WriteResult second = file_.Write(block);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(first, WriteResult::kWritten);
  EXPECT_EQ(second, WriteResult::kLimitReached);
}

TEST_F(DataFileTest, GatheredBlocksAreInTheFileOnceSettledAndInTheirOrder) {
  ASSERT_EQ(file_.Create(dir_fd_, "a", {}, 1 << 30, SizePolicy::kStop), 0);
  std::vector<uint8_t> memory(1000);
  file_.Gather(memory);
  std::vector<uint8_t> expected;
  // The second does not fit beside the first, the third fits nowhere.
  for (const auto& [bytes, value] : {std::pair{600, 1}, {500, 2}, {3000, 3}}) {
    const std::vector<uint8_t> block(static_cast<size_t>(bytes),
                                     static_cast<uint8_t>(value));
    EXPECT_EQ(file_.Write(block), WriteResult::kWritten);
    expected.insert(expected.end(), block.begin(), block.end());
  }
  EXPECT_EQ(file_.Settle(), WriteResult::kWritten);
  std::ifstream in(temp_.path() + "/a.dltap", std::ios::binary);
  in.seekg(sizeof(trace::FileHeader));
  EXPECT_EQ(std::vector<uint8_t>(std::istreambuf_iterator<char>(in), {}),
            expected);
}

TEST_F(DataFileTest, SettlingTellsOfBlocksThatWereLostMeanwhile) {
  ASSERT_EQ(file_.Create(dir_fd_, "a", {}, 1 << 30, SizePolicy::kStop), 0);
  std::vector<uint8_t> memory(1000);
  file_.Gather(memory);
  const std::vector<uint8_t> block(600, 7);
  EXPECT_EQ(file_.Write(block), WriteResult::kWritten);
  std::filesystem::remove(temp_.path() + "/a.dltap");
  EXPECT_FALSE(file_.WriteGathered());
  EXPECT_EQ(file_.gathered_bytes(), 0u);
  EXPECT_EQ(file_.Settle(), WriteResult::kFailed);
}

TEST_F(DataFileTest, GatheredBlocksGoToTheSegmentThatHadRoomForThem) {
  ASSERT_EQ(file_.Create(dir_fd_, "a", {}, 1 << 20, SizePolicy::kRing), 0);
  std::vector<uint8_t> memory(10'000);
  file_.Gather(memory);
  const std::vector<uint8_t> block(1000, 7);
  const uint64_t room = file_.room();
  EXPECT_EQ(file_.Write(block), WriteResult::kWritten);
  EXPECT_EQ(file_.room(), room - block.size());
  ASSERT_TRUE(file_.NextSegment());
  EXPECT_EQ(SizeOf("a.dltap"), sizeof(trace::FileHeader) + block.size());
}

// A host that closes every descriptor may open its own file under our number.
TEST_F(DataFileTest, NeverWritesIntoAFileThatIsNotOurs) {
  ASSERT_EQ(file_.Create(dir_fd_, "a", {}, 1 << 30, SizePolicy::kStop), 0);
  const std::string victim = temp_.Write("victim", "precious");
  for (int fd = 3; fd < 2000; ++fd) {
    if (fd != dir_fd_) close(fd);
  }
  const int opened = open(victim.c_str(), O_RDWR);
  std::vector<int> copies;
  for (int fd = 700; fd < 1000; ++fd) dup2(opened, fd);
  const std::vector<uint8_t> block(1000, 7);
  EXPECT_EQ(file_.Write(block), WriteResult::kFailed);
  EXPECT_EQ(SizeOf("victim"), 8u);
  for (int fd = 700; fd < 1000; ++fd) close(fd);
  close(opened);
}

}  // namespace
}  // namespace dltap::shim
