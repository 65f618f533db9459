// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/scoped_fault_rules.h"

#include <gtest/gtest.h>

namespace dltap::simgpu {
namespace {

constexpr int64_t kForEver = std::numeric_limits<int64_t>::max();
constexpr int kEvery = std::numeric_limits<int>::max();

ScopedFault Parsed(const char* text) {
  std::string why;
  const auto fault = ParseScopedFault(text, &why);
  EXPECT_TRUE(fault.has_value()) << why;
  return fault.value_or(ScopedFault{});
}

TEST(ScopedFaultRulesTest, RanksTimesAndSpeedsAreParsed) {
  using enum ScopedKind;
  EXPECT_EQ(Parsed("gpu:3@5-10:x0.8"), (ScopedFault{.kind = kGpu,
                                                    .ranks = {3, 3},
                                                    .from_ns = 5'000'000'000,
                                                    .until_ns = 10'000'000'000,
                                                    .speed = 0.8}));
  EXPECT_EQ(Parsed("gpu:2-5@1.5-:x2"), (ScopedFault{.kind = kGpu,
                                                    .ranks = {2, 5},
                                                    .from_ns = 1'500'000'000,
                                                    .speed = 2}));
  EXPECT_EQ(Parsed("host:*@-150ms:x0.001"),
            (ScopedFault{.kind = kHost,
                         .ranks = {0, kEvery},
                         .until_ns = 150'000'000,
                         .speed = 0.001}));
  EXPECT_EQ(Parsed("host:0@1e-3-2e0s:x1e3"),
            (ScopedFault{.kind = kHost,
                         .ranks = {0, 0},
                         .from_ns = 1'000'000,
                         .until_ns = 2'000'000'000,
                         .speed = 1000}));
  EXPECT_EQ(
      Parsed("link:1-3:x0.3"),
      (ScopedFault{
          .kind = kLink, .ranks = {1, 1}, .others = {3, 3}, .speed = 0.3}));
  EXPECT_EQ(Parsed("link:5-*@2-:x0.3"), (ScopedFault{.kind = kLink,
                                                     .ranks = {5, 5},
                                                     .from_ns = 2'000'000'000,
                                                     .speed = 0.3}));
  EXPECT_EQ(Parsed("link:*:x0.5").others, (RankRange{0, kEvery}));
  EXPECT_EQ(Parsed("dead:2@20us"),
            (ScopedFault{.kind = kDead, .ranks = {2, 2}, .from_ns = 20'000}));
  EXPECT_FALSE(Parsed("dead:2@0:kill").hangs);
  EXPECT_TRUE(Parsed("dead:2@0:hang").hangs);
}

TEST(ScopedFaultRulesTest, TheEndIsOutside) {
  const ScopedFault fault = Parsed("gpu:0@1ns-2ns:x0.5");
  EXPECT_FALSE(fault.HoldsAt(0));
  EXPECT_TRUE(fault.HoldsAt(1));
  EXPECT_FALSE(fault.HoldsAt(2));
  EXPECT_FALSE(Parsed("gpu:0@0-1:x0.5").HoldsAt(-1));
  EXPECT_EQ(Parsed("gpu:0@3-:x0.5").until_ns, kForEver);
}

TEST(ScopedFaultRulesTest, WhatIsWrongIsSaid) {
  struct Row {
    const char* text;
    const char* why;
  };
  for (const Row& row : {Row{"gpu:@1-2:x0.5", "no rank"},
                         Row{"gpu:-1:x0.5", "no rank"},
                         Row{"gpu:3-1:x0.5", "no rank"},
                         Row{"gpu:1-:x0.5", "no rank"},
                         Row{"gpu:1.5:x0.5", "no rank"},
                         Row{"gpu:99999999999:x0.5", "no rank"},
                         Row{"link:3:x0.5", "no link"},
                         Row{"link:3-3:x0.5", "no link"},
                         Row{"link:1-2-3:x0.5", "no link"},
                         Row{"gpu:3@:x0.5", "no times"},
                         Row{"gpu:3@-:x0.5", "no times"},
                         Row{"gpu:3@5:x0.5", "no times"},
                         Row{"gpu:3@5m-:x0.5", "no times"},
                         Row{"gpu:3@1--2:x0.5", "no times"},
                         Row{"gpu:3@nan-2:x0.5", "no times"},
                         Row{"gpu:3@0-1e30:x0.5", "no times"},
                         Row{"gpu:3@5-5:x0.5", "ends before"},
                         Row{"gpu:3@5-2:x0.5", "ends before"},
                         Row{"gpu:3@5-10", "no speed"},
                         Row{"gpu:3:0.8", "no speed"},
                         Row{"gpu:3:x", "no speed"},
                         Row{"gpu:3:x0", "no speed"},
                         Row{"gpu:3:x-1", "no speed"},
                         Row{"gpu:3:xinf", "no speed"},
                         Row{"gpu:3:xnan", "no speed"},
                         Row{"gpu:3:x1e9", "no speed"},
                         Row{"gpu:3:x0.5:x0.5", "no speed"},
                         Row{"dead:3", "dead:RANK@SECONDS"},
                         Row{"dead:3@1-2", "dead:RANK@SECONDS"},
                         Row{"dead:3@1:", "'kill' or to 'hang'"},
                         Row{"dead:3@1:x0.5", "'kill' or to 'hang'"}}) {
    std::string why;
    EXPECT_FALSE(ParseScopedFault(row.text, &why).has_value()) << row.text;
    EXPECT_NE(why.find("'" + std::string(row.text) + "': "), std::string::npos)
        << why;
    EXPECT_NE(why.find(row.why), std::string::npos) << row.text << why;
  }
}

TEST(ScopedFaultRulesTest, OtherRulesAreNone) {
  for (const char* text : {"gpu", "cudaMalloc:2:2", "launch:7:719", "gpus:1:x1",
                           "", ":", "record:2.5%:drop"}) {
    EXPECT_FALSE(IsScopedRule(text)) << text;
  }
}

}  // namespace
}  // namespace dltap::simgpu
