// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/rule.h"

#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

Change Plain(double base, double now) { return ChangeOf({base}, {now}); }

Verdict Of(const char* rule, const Change& change) {
  return Judge(*ParseRule(rule), change);
}

TEST(RuleTest, ARelativeRuleIsAboutThePartOfTheBase) {
  EXPECT_EQ(Of("step_ms>3%", Plain(100, 104)), Verdict::kFires);
  EXPECT_EQ(Of("step_ms>3%", Plain(100, 103)), Verdict::kHolds);
  EXPECT_EQ(Of("step_ms < -1%", Plain(100, 90)), Verdict::kFires);
}

TEST(RuleTest, AnAbsoluteRuleIsAboutTheChangeInItsUnit) {
  EXPECT_EQ(Of("launches>0", Plain(100, 101)), Verdict::kFires);
  EXPECT_EQ(Of("launches>0", Plain(100, 100)), Verdict::kHolds);
  EXPECT_EQ(Of("launches>0", Plain(100, 99)), Verdict::kHolds);
  EXPECT_EQ(Of("step_ms>2", Plain(100, 101)), Verdict::kHolds);
}

TEST(RuleTest, AShareIsJudgedByItself) {
  EXPECT_EQ(Of("trust.classified<98%", Plain(0.5, 0.97)), Verdict::kFires);
  EXPECT_EQ(Of("trust.classified<98%", Plain(0.5, 0.99)), Verdict::kHolds);
}

TEST(RuleTest, AMeasuredChangeFiresWhereItsIntervalLiesBeyond) {
  Change change = Plain(100, 105);
  change.interval = {2, 8};
  EXPECT_EQ(Of("step_ms>3%", change), Verdict::kHolds);
  change.interval = {4, 6};
  EXPECT_EQ(Of("step_ms>3%", change), Verdict::kFires);
}

TEST(RuleTest, MoreThanNothingIsMoreThanAnyPart) {
  EXPECT_EQ(Of("syncs>50%", Plain(0, 1)), Verdict::kFires);
  EXPECT_EQ(Of("syncs>50%", Plain(0, 0)), Verdict::kHolds);
}

TEST(RuleTest, WhatIsUnknownIsNotPassed) {
  EXPECT_EQ(Of("peak_memory>2%", ChangeOf({}, {1})), Verdict::kUnknown);
}

TEST(RuleTest, ACallHasItsDocumentedName) {
  const auto rule = ParseRule("api.__cudaLaunchKernel.calls>0");
  ASSERT_TRUE(rule.ok());
  EXPECT_EQ(rule->quantity, "api.cudaLaunchKernel.calls");
}

TEST(RuleTest, ATypoNamesTheQuantityThatWasMeant) {
  for (const auto& [typed, meant] :
       {std::pair{"launchs>0", "launches"}, std::pair{"step_m>3%", "step_ms"},
        std::pair{"class.atention.gpu_ms>5%", "class.attention.gpu_ms"},
        std::pair{"idle.waits_ms>1", "idle.wait_ms"}}) {
    const auto rule = ParseRule(typed);
    ASSERT_FALSE(rule.ok()) << typed;
    EXPECT_NE(std::string(rule.status().message())
                  .find(std::string("did you mean ") + meant + "?"),
              std::string::npos)
        << rule.status();
  }
}

TEST(RuleTest, WhatIsNoRuleIsRefused) {
  for (const char* text :
       {"", "step_ms", "step_ms>", "step_ms>fast", ">3%", "trust.classified<98",
        "step_ms>nan", "trust.lost>1%", "class.CLASS.gpu_ms>1",
        "api.noSuchCall.calls>0"}) {
    EXPECT_FALSE(ParseRule(text).ok()) << text;
  }
  EXPECT_TRUE(ParseRule("api.cudaMalloc.calls>0").ok());
  EXPECT_FALSE(ParseExactRule("utilization<50%").ok());
}

}  // namespace
}  // namespace dltap::analyzer
