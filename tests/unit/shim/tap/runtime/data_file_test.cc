// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/data_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST_F(DataFileTest, StopPolicyRefusesWhatWouldExceedTheLimit) {
  ASSERT_EQ(file_.Create(dir_fd_, "a", {}, 1 << 20, SizePolicy::kStop), 0);
  const std::vector<uint8_t> block(600'000);
  EXPECT_EQ(file_.Write(block), WriteResult::kWritten);
  EXPECT_EQ(file_.Write(block), WriteResult::kLimitReached);
  EXPECT_LT(SizeOf("a.dltap"), 1u << 20);
}

TEST_F(DataFileTest, RingPolicyKeepsTheFirstAndTheNewestSegments) {
  constexpr uint64_t kLimit = 3 * DataFile::kSegmentBytes;
  ASSERT_EQ(file_.Create(dir_fd_, "a", {}, kLimit, SizePolicy::kRing), 0);
  const std::vector<uint8_t> block(16 << 20);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(file_.Write(block), WriteResult::kWritten) << i;
  }
  EXPECT_TRUE(Exists("a.dltap"));
  EXPECT_FALSE(Exists("a.1.dltap"));
  EXPECT_TRUE(Exists("a.6.dltap"));
  EXPECT_GT(file_.deleted_bytes(), 0u);
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
