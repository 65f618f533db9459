// SPDX-License-Identifier: Apache-2.0
#include "analyzer/output/near_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> kGpus = {"a100-40-sxm", "a100-80-sxm", "l4",
                                        "h100-pcie", "h100-sxm"};

TEST(NearNamesTest, SlipsOfTheFingersAreNear) {
  const std::vector<std::string> names = {"report", "run", "export", "--top"};
  EXPECT_THAT(NearNames("reprot", names), ElementsAre("report"));
  EXPECT_THAT(NearNames("REPORT", names), ElementsAre("report"));
  EXPECT_THAT(NearNames("--topp", names), ElementsAre("--top"));
  EXPECT_THAT(NearNames("run2", names), ElementsAre("run"));
}

TEST(NearNamesTest, LongerAndShorterFormsAreNear) {
  EXPECT_THAT(NearNames("h100", kGpus), ElementsAre("h100-pcie", "h100-sxm"));
  EXPECT_THAT(NearNames("h100-sxm5", kGpus),
              ElementsAre("h100-pcie", "h100-sxm"));
}

TEST(NearNamesTest, WhatBeginsAlikeIsNear) {
  EXPECT_THAT(NearNames("a100-nvlink", {"a100-x", "l4"}), IsEmpty());
  EXPECT_THAT(NearNames("a100-sxm", kGpus),
              ElementsAre("a100-40-sxm", "a100-80-sxm", "h100-sxm"));
}

TEST(NearNamesTest, NothingIsNearToWhatIsFarOrEmpty) {
  EXPECT_THAT(NearNames("zeus", kGpus), IsEmpty());
  EXPECT_THAT(NearNames("", kGpus), IsEmpty());
  EXPECT_THAT(NearNames("--", kGpus), IsEmpty());
  EXPECT_THAT(NearNames("x", {"y"}), IsEmpty());
}

TEST(NearNamesTest, TextNamesTheNearBeforeAll) {
  EXPECT_EQ(WhatThereIs("h10", {"l4", "h100"}),
            "; did you mean h100? known are: l4, h100");
  EXPECT_EQ(WhatThereIs("zeus", {"l4"}), "; known are: l4");
  EXPECT_EQ(DidYouMean("zeus", {"l4"}), "");
}

}  // namespace
}  // namespace dltap::analyzer
