// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/color.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace dltap::analyzer {
namespace {

// No stream of these tests is a terminal.
class ColorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"}) {
      unsetenv(name);
    }
    file_ = std::tmpfile();
    ASSERT_NE(file_, nullptr);
  }
  void TearDown() override { std::fclose(file_); }
  std::FILE* file_ = nullptr;
};

TEST_F(ColorTest, AFileGetsNone) { EXPECT_FALSE(UseColor("auto", file_)); }

TEST_F(ColorTest, TheOptionWinsOverTheEnvironment) {
  setenv("NO_COLOR", "1", 1);
  EXPECT_TRUE(UseColor("always", file_));
  unsetenv("NO_COLOR");
  setenv("FORCE_COLOR", "1", 1);
  EXPECT_FALSE(UseColor("never", file_));
}

TEST_F(ColorTest, NoColorWinsOverForceColor) {
  setenv("FORCE_COLOR", "1", 1);
  EXPECT_TRUE(UseColor("auto", file_));
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(UseColor("auto", file_));
}

TEST_F(ColorTest, ClicolorForceOfZeroIsNoForce) {
  setenv("CLICOLOR_FORCE", "0", 1);
  EXPECT_FALSE(UseColor("auto", file_));
  setenv("CLICOLOR_FORCE", "1", 1);
  EXPECT_TRUE(UseColor("auto", file_));
}

}  // namespace
}  // namespace dltap::analyzer
