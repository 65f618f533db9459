// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/baseline.h"

#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

Baseline Sample() {
  Baseline baseline;
  baseline["python train.py"]["h100-sxm"] = {
      .made_with = {{"dltap", "1"}, {"framework", "torch \"2\""}},
      .by_steps = true,
      .steps = 18,
      .quantities = {{"launches", 12}, {"step_ms", 1.25}}};
  return baseline;
}

TEST(BaselineTest, WhatWasWrittenIsReadBack) {
  const std::string text = BaselineText(Sample());
  const auto read = ParseBaseline(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(BaselineText(*read), text);
  EXPECT_EQ(read->at("python train.py").at("h100-sxm").quantities.at("step_ms"),
            1.25);
}

TEST(BaselineTest, EachValueHasALineOfItsOwn) {
  const std::string text = BaselineText(Sample());
  EXPECT_NE(text.find("\n          \"launches\": 12,\n"), std::string::npos)
      << text;
}

TEST(BaselineTest, WhatIsNoBaselineIsRefused) {
  for (
      const char* text :
      {"", "[]", "{}", R"({"schema":"dltap.report","version":2})",
       R"({"schema":"dltap.baseline","version":1,"programs":{"a":{"b":1}}})"}) {
    EXPECT_FALSE(ParseBaseline(text).ok()) << text;
  }
  EXPECT_EQ(ParseBaseline(R"({"schema":"dltap.baseline","version":2})")
                .status()
                .code(),
            absl::StatusCode::kUnimplemented);
}

TEST(BaselineTest, AClassThatDidNothingIsZero) {
  BaselineRun base;
  BaselineRun now;
  now.quantities = {{"class.gemm.kernels", 3}, {"peak_memory", 5}};
  const auto changes = ChangesOf(base, now);
  EXPECT_EQ(changes.at("class.gemm.kernels").change, 3);
  EXPECT_FALSE(changes.at("peak_memory").change);
}

// Of another version, or mistyped.
TEST(BaselineTest, WhatIsNoQuantityHasNoChange) {
  BaselineRun base;
  base.quantities = {{"launchez", 3}, {"launches", 4}};
  const auto changes = ChangesOf(base, {});
  EXPECT_EQ(changes.size(), 1);
  EXPECT_TRUE(changes.contains("launches"));
}

TEST(BaselineTest, HugeValuesAreReadBack) {
  Baseline baseline;
  baseline["p"]["g"].quantities = {{"copied_bytes", 1e300},
                                   {"peak_memory", 9007199254740993.0}};
  const auto read = ParseBaseline(BaselineText(baseline));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->at("p").at("g").quantities,
            baseline.at("p").at("g").quantities);
}

}  // namespace
}  // namespace dltap::analyzer
