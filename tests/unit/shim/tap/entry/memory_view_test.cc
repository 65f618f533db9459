// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/memory_view.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "shim/tap/entry/copy_file.h"

namespace dltap::shim {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kPages = 64;

// 64 pages of numbers, each of which says where it lies.
class MemoryViewTest : public ::testing::Test {
 protected:
  MemoryViewTest() : view_(std::make_unique<MemoryView>()) {
    void* memory = mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    numbers_ = static_cast<uint64_t*>(memory);
    for (size_t i = 0; i < kPages * kPage / 8; ++i) numbers_[i] = i;
    const std::string path =
        ::testing::TempDir() + "view" + std::to_string(getpid());
    EXPECT_TRUE(file_.Open(path.c_str()));
    view_->Begin(file_);
  }
  ~MemoryViewTest() override {
    file_.Close();
    munmap(numbers_, kPages * kPage);
  }
  uintptr_t At(size_t number) const {
    return reinterpret_cast<uintptr_t>(numbers_ + number);
  }
  uintptr_t PageAt(size_t page) const { return At(page * kPage / 8); }
  void Protect(size_t page) {
    mprotect(reinterpret_cast<void*>(PageAt(page)), kPage, PROT_NONE);
  }
  bool Has(size_t number) {
    uint64_t have = 0;
    return view_->Load(At(number), &have) && have == number;
  }

  CopyFile file_ = {};
  std::unique_ptr<MemoryView> view_;
  uint64_t* numbers_;
};

// A process may be killed at any time, as children are that end by _exit().
TEST(CopyFileTest, ItNeverHasANameThatAKilledProcessLeaves) {
  const std::string ring =
      "/dev/shm/dltap-copy-" + std::to_string(getpid()) + ".ring";
  CopyFile file = {};
  if (!file.Open(ring.c_str())) GTEST_SKIP() << "no shared memory";
  int nameless = 0;
  for (const auto& link :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string path =
        std::filesystem::read_symlink(link.path(), gone).string();
    EXPECT_EQ(path.find("dltap-copy-"), std::string::npos) << path;
    nameless += path.starts_with("/dev/shm/#") ? 1 : 0;
  }
  EXPECT_EQ(nameless, 1);
  file.Close();
}

TEST_F(MemoryViewTest, WhatIsWantedIsReadAtOnceAndStaysAsItWas) {
  for (size_t i = 0; i < 300; ++i) view_->Want(At(i * 97), 8);
  view_->Fetch();
  for (size_t i = 0; i < 300; ++i) numbers_[i * 97] = 0;
  for (size_t i = 0; i < 300; ++i) EXPECT_TRUE(Has(i * 97)) << i;
}

TEST_F(MemoryViewTest, AfterForgettingAllIsNew) {
  view_->Want(At(5), 8);
  view_->Fetch();
  EXPECT_TRUE(Has(5));
  numbers_[5] = 7;
  view_->Forget();
  uint64_t have = 0;
  EXPECT_TRUE(view_->Load(At(5), &have));
  EXPECT_EQ(have, 7u);
}

TEST_F(MemoryViewTest, WhatCannotBeReadTakesNothingElseWithIt) {
  for (const size_t page : {3u, 9u, 10u, 40u}) Protect(page);
  for (size_t page = 0; page < kPages; ++page) view_->Want(PageAt(page), 16);
  view_->Want(uintptr_t{1} << 47, 8);
  view_->Want(uintptr_t{1} << 60, 8);
  view_->Want(~uintptr_t{0}, 8);
  view_->Want(0, 8);
  view_->Fetch();
  for (size_t page = 0; page < kPages; ++page) {
    const bool is_closed = page == 3 || page == 9 || page == 10 || page == 40;
    EXPECT_EQ(Has(page * kPage / 8), !is_closed) << page;
  }
  uint64_t have = 0;
  EXPECT_FALSE(view_->Load(uintptr_t{1} << 60, &have));
  EXPECT_FALSE(view_->Load(~uintptr_t{0}, &have));
  EXPECT_FALSE(view_->Load(0, &have));
  EXPECT_FALSE(view_->was_refused());
}

TEST_F(MemoryViewTest, WhatIsWantedAndNotFetchedIsRead) {
  view_->Want(At(5), 8);
  EXPECT_TRUE(Has(5));
  view_->Fetch();
  EXPECT_TRUE(Has(5));
  EXPECT_TRUE(Has(6));
}

TEST_F(MemoryViewTest, APartThatSpansPagesIsReadUpToTheOneThatCannotBe) {
  Protect(1);
  view_->Want(PageAt(1) - 8, 16);
  view_->Fetch();
  EXPECT_TRUE(Has(kPage / 8 - 1));
  uint64_t two[2];
  EXPECT_FALSE(view_->Read(PageAt(1) - 8, two, sizeof(two)));
}

// In a process of its own, since all files are closed there.
TEST_F(MemoryViewTest, AFileOfTheProgramUnderItsNumberIsNotWritten) {
  const std::string path =
      ::testing::TempDir() + "own" + std::to_string(getpid());
  const auto run = [&] {
    const int own = open(path.c_str(), O_CREAT | O_RDWR, 0600);
    for (int fd = 3; fd < 4096; ++fd) {
      if (fd != own && fcntl(fd, F_GETFD) >= 0) dup2(own, fd);
    }
    view_->Want(At(5), 8);
    view_->Fetch();
    const bool is_read = Has(5);
    _exit(is_read || !view_->was_refused() || lseek(own, 0, SEEK_END) != 0);
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(0), "");
  unlink(path.c_str());
}

}  // namespace
}  // namespace dltap::shim
