// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/name_rules.h"

#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

TEST(NameRulesTest, EveryKernelRuleCatchesItsOwnExample) {
  for (const NameRule& rule : KernelNameRules()) {
    EXPECT_EQ(MatchKernelName(rule.example), &rule) << rule.example;
  }
}

TEST(NameRulesTest, EveryOperatorRuleCatchesItsOwnExample) {
  for (const NameRule& rule : OperatorNameRules()) {
    EXPECT_EQ(MatchOperatorName(rule.example), &rule) << rule.example;
  }
}

TEST(NameRulesTest, UnknownNamesMatchNothing) {
  EXPECT_EQ(MatchKernelName("my_secret_thing"), nullptr);
  EXPECT_EQ(MatchKernelName(""), nullptr);
}

TEST(GlobTest, MatchesWholeTexts) {
  EXPECT_TRUE(GlobMatches("abc", "abc"));
  EXPECT_FALSE(GlobMatches("abc", "abcd"));
  EXPECT_TRUE(GlobMatches("*b*", "abc"));
  EXPECT_TRUE(GlobMatches("*", ""));
  EXPECT_TRUE(GlobMatches("a*c", "abcbc"));
  EXPECT_FALSE(GlobMatches("a*cd", "abc"));
  EXPECT_FALSE(GlobMatches("ab*ba", "aba"));
  EXPECT_TRUE(GlobMatches("*x*y*", "1x2y3"));
  EXPECT_FALSE(GlobMatches("*y*x*", "1x2y3"));
}

TEST(DemangleTest, LeavesWhatIsNotMangled) {
  EXPECT_EQ(Demangle("_Z3fooi"), "foo(int)");
  EXPECT_EQ(Demangle("volta_sgemm_64x64_nt"), "volta_sgemm_64x64_nt");
  EXPECT_EQ(Demangle("_Zbroken"), "_Zbroken");
}

}  // namespace
}  // namespace dltap::analyzer
