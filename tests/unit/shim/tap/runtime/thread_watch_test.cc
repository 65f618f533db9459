// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/thread_watch.h"

#include "gtest/gtest.h"

namespace dltap::shim {
namespace {

TEST(ThreadStatTest, NameAndState) {
  ThreadStat stat;
  ASSERT_TRUE(ParseThreadStat("17 (python) R 1 17 17 0", &stat));
  EXPECT_STREQ(stat.name, "python");
  EXPECT_EQ(stat.state, trace::ThreadState::kRunning);
}

TEST(ThreadStatTest, NameMayHoldParenthesesAndSpaces) {
  ThreadStat stat;
  ASSERT_TRUE(ParseThreadStat("17 (a) S (b) D 1 17", &stat));
  EXPECT_STREQ(stat.name, "a) S (b");
  EXPECT_EQ(stat.state, trace::ThreadState::kDisk);
}

TEST(ThreadStatTest, MalformedIsRefused) {
  ThreadStat stat;
  EXPECT_FALSE(ParseThreadStat("", &stat));
  EXPECT_FALSE(ParseThreadStat("17 (python", &stat));
  EXPECT_FALSE(ParseThreadStat("17 (python)", &stat));
}

}  // namespace
}  // namespace dltap::shim
