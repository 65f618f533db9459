// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/process_info.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

namespace dltap::shim {
namespace {

class ProcessInfoTest : public testing::Test {
 protected:
  ~ProcessInfoTest() override {
    program_invocation_name = name_;
    program_invocation_short_name = short_name_;
  }

 private:
  char* const name_ = program_invocation_name;
  char* const short_name_ = program_invocation_short_name;
};

TEST_F(ProcessInfoTest, ATitleOverTheArgumentsIsTheNameNotAPieceOfIt) {
  char arguments[] = "/usr/bin/python";
  program_invocation_name = arguments;
  program_invocation_short_name = arguments + strlen("/usr/bin/");
  EXPECT_STREQ(ReadProcessInfo().program, "python");
  strcpy(arguments, "ray::A.work");
  EXPECT_STREQ(ReadProcessInfo().program, "ray__A.work");
  strcpy(arguments, "ray::A");
  EXPECT_STREQ(ReadProcessInfo().program, "ray__A");
}

}  // namespace
}  // namespace dltap::shim
