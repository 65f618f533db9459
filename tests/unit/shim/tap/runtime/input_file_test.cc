// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/input_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "tests/support/temp_dir.h"

namespace dltap::shim {
namespace {

class InputFileTest : public testing::Test {
 protected:
  InputFileTest() { std::ofstream(path_) << "text"; }

  TempDir dir_;
  std::string path_ = dir_.path() + "/file";
};

TEST_F(InputFileTest, ItsDescriptorIsNoneThatProgramsCountOn) {
  const InputFile file(path_.c_str(), 0);
  const int next = dup(0);
  EXPECT_GT(file.fd(), next + 64);
  close(next);
  char text[8] = {};
  EXPECT_EQ(file.Read(text, sizeof(text)), 4);
  EXPECT_STREQ(text, "text");
}

TEST_F(InputFileTest, WhatTheProgramHasPutInItsPlaceIsNeitherReadNorClosed) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "mine", 4), 4);
  int place = -1;
  {
    const InputFile file(path_.c_str(), 0);
    place = file.fd();
    ASSERT_EQ(dup2(ends[0], place), place);
    char text[8];
    EXPECT_LE(file.Read(text, sizeof(text)), 0);
    EXPECT_LE(file.ReadEntries(text, sizeof(text)), 0);
  }
  char text[8] = {};
  EXPECT_EQ(read(place, text, sizeof(text)), 4);
  EXPECT_STREQ(text, "mine");
  for (const int fd : {place, ends[0], ends[1]}) close(fd);
}

TEST_F(InputFileTest, APipeOfThatNameIsNotWaitedFor) {
  const std::string path = dir_.path() + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  char text[8];
  EXPECT_LE(InputFile(path.c_str(), 0).Read(text, sizeof(text)), 0);
  EXPECT_LE(InputFile(path.c_str(), O_DIRECTORY).ReadEntries(text, 8), 0);
  EXPECT_LE(InputFile("/nothing/here", 0).Read(text, sizeof(text)), 0);
}

}  // namespace
}  // namespace dltap::shim
