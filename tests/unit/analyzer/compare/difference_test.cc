// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/difference.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

// A run that lives as long as its Side.
struct TestRun {
  explicit TestRun(const std::string& text)
      : model(TraceFromText(text)),
        summary(Summarise(model, Attribute(model))),
        figures(FiguresOf(summary)) {}
  Side side() const { return {&summary, &figures}; }

  TraceModel model;
  Summary summary;
  Figures figures;
};

// Steps of `gemms` products of `gemm_us` each, 10 us apart, and a pause.
std::string Steps(int gemms, int gemm_us, int pause_us,
                  const std::string& gpu = "gpu") {
  std::string text = absl::StrCat(
      "format dltap\nprocess pid=1\ndevice 0 name=", gpu, "\nthread 0 tid=1\n");
  int at = 0;
  int corr = 0;
  for (int step = 0; step < 12; ++step) {
    const int first = at;
    for (int i = 0; i < gemms; ++i) {
      ++corr;
      absl::StrAppend(
          &text, "call t=", at, "..", at + 2,
          "us thread=0 cublasSgemm_v2 m=64 n=64 k=64\n", "launchapi t=", at,
          "..", at + 1, "us thread=0 corr=", corr, " ext=", at, "us\n",
          "kernel t=", at + 5, "..", at + 5 + gemm_us,
          "us device=0 stream=7 corr=", corr, " name=ampere_sgemm_64x64_nn\n");
      at += 10 + gemm_us;
    }
    at += pause_us;
    absl::StrAppend(&text, "range t=", first, "..", at,
                    "us thread=0 kind=nvtx name=\"step ", step, "\"\n");
  }
  return text;
}

std::string Replaced(std::string text, std::string_view what,
                     std::string_view with) {
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

double SumOfParts(const Difference& difference) {
  double sum = 0;
  for (const PartChange& part : difference.parts) sum += *part.ns.change;
  return sum;
}

TEST(DifferenceTest, ARunDoesNotDifferFromItself) {
  const TestRun run(Steps(3, 50, 30));
  const Difference difference = Compare(run.side(), run.side());
  EXPECT_TRUE(difference.unlike.empty());
  EXPECT_FALSE(difference.step.differs());
  for (const auto& part : difference.parts) EXPECT_FALSE(part.ns.differs());
  for (const auto& each : difference.quantities) {
    EXPECT_FALSE(each.change.differs()) << each.name;
  }
  for (const auto& rows : difference.rows) {
    for (const RowChange& row : rows) {
      EXPECT_FALSE(row.ns.differs()) << row.name;
      EXPECT_EQ(row.presence, Presence::kBoth) << row.name;
    }
  }
}

TEST(DifferenceTest, ThePartsAddUpToTheStep) {
  const TestRun base(Steps(3, 50, 30));
  const TestRun now(Steps(4, 45, 80));
  const Difference difference = Compare(base.side(), now.side());
  ASSERT_TRUE(difference.by_steps);
  EXPECT_NEAR(SumOfParts(difference), *difference.step.change, 1e-6);
  EXPECT_NEAR(difference.unexplained_ns, 0, 1e-6);
  double named = difference.rest_ns;
  for (size_t i = 0; i < difference.leading; ++i) {
    named += *difference.parts[i].ns.change;
  }
  EXPECT_NEAR(named, *difference.step.change, 1e-6);
}

TEST(DifferenceTest, OneProductMoreIsOneLaunchAndItsTime) {
  const TestRun base(Steps(3, 50, 30));
  const TestRun now(Steps(4, 50, 30));
  const Difference difference = Compare(base.side(), now.side());
  EXPECT_DOUBLE_EQ(*difference.Find("launches")->change.change, 1);
  EXPECT_DOUBLE_EQ(*difference.Find("kernels")->change.change, 1);
  EXPECT_NEAR(*difference.Find("class.gemm.gpu_ms")->change.change, 0.05, 1e-9);
  ASSERT_GE(difference.leading, 1u);
  EXPECT_EQ(difference.parts[0].key.kind, SeriesKind::kLead);
  EXPECT_EQ(static_cast<LayerClass>(difference.parts[0].key.index),
            LayerClass::kGemm);
}

TEST(DifferenceTest, OtherwiseRoundAllSignsTurn) {
  const TestRun a(Steps(3, 50, 30));
  const TestRun b(Steps(4, 45, 80));
  const Difference there = Compare(a.side(), b.side());
  const Difference back = Compare(b.side(), a.side());
  EXPECT_DOUBLE_EQ(*there.step.change, -*back.step.change);
  ASSERT_EQ(there.quantities.size(), back.quantities.size());
  for (size_t i = 0; i < there.quantities.size(); ++i) {
    const auto& change = there.quantities[i].change.change;
    const auto& turned = back.quantities[i].change.change;
    ASSERT_EQ(change.has_value(), turned.has_value());
    EXPECT_NEAR(change.value_or(0), -turned.value_or(0), 1e-12);
  }
}

// Kineto's traces need not say which kernels are of a graph.
TEST(DifferenceTest, KernelsOfOneCorrelationInARowAreOneLaunch) {
  const TestRun run(
      "format kineto\ndevice 0 name=gpu\n"
      "kernel t=0..5us device=0 stream=7 corr=1 name=ampere_sgemm_64x64_nn\n"
      "kernel t=5..9us device=0 stream=7 corr=1 name=softmax_warp_forward\n"
      "kernel t=9..12us device=0 stream=7 corr=2 name=softmax_warp_forward\n");
  const Difference difference = Compare(run.side(), run.side());
  EXPECT_FALSE(difference.by_steps);
  EXPECT_EQ(difference.Find("launches")->change.now, 2);
  EXPECT_EQ(difference.Find("kernels")->change.now, 3);
}

// Another source names other layers and knows other FLOPs of the same kernels.
TEST(DifferenceTest, UnlikeSourcesAreComparableByTheirKernels) {
  const TestRun own(Steps(3, 50, 30));
  const std::string text = Replaced(Steps(3, 50, 30), "dltap", "kineto");
  const TestRun imported(text);
  EXPECT_TRUE(Compare(own.side(), imported.side()).unlike.empty());
  const TestRun other(Replaced(Replaced(text, "ampere_sgemm", "newest_sgemm"),
                               "m=64 n=64 k=64", "m=96 n=64 k=80"));
  const Difference difference = Compare(own.side(), other.side());
  ASSERT_EQ(difference.unlike.size(), 1u);
  EXPECT_EQ(difference.unlike[0].what, Unlikeness::kLayers);
}

TEST(DifferenceTest, TwiceTheBatchIsSaidAndBarsOnlyRules) {
  const std::string text = Steps(3, 50, 30);
  const TestRun base(text);
  const TestRun now(Replaced(text, "n=64", "n=128"));
  const Difference difference = Compare(base.side(), now.side());
  ASSERT_EQ(difference.unlike.size(), 1u);
  EXPECT_EQ(difference.unlike[0].what, Unlikeness::kShapes);
  EXPECT_DOUBLE_EQ(*difference.unlike[0].share, 2);
  EXPECT_DOUBLE_EQ(*difference.unlike[0].step_share, 2);
  EXPECT_TRUE(difference.BarredBy(Bars::kAll).empty());
  EXPECT_EQ(difference.BarredBy(Bars::kRules).size(), 1u);
  EXPECT_EQ(difference.by(DifferenceBy::kLayer)[0].presence, Presence::kBoth);
}

TEST(DifferenceTest, OtherWeightsAreAnotherModel) {
  const std::string text = Steps(3, 50, 30);
  const TestRun base(text);
  const TestRun now(Replaced(text, "m=64 n=64 k=64", "m=96 n=64 k=80"));
  const Difference difference = Compare(base.side(), now.side());
  ASSERT_EQ(difference.unlike.size(), 1u);
  EXPECT_EQ(difference.unlike[0].what, Unlikeness::kLayers);
  EXPECT_EQ(difference.BarredBy(Bars::kAll).size(), 1u);
}

TEST(DifferenceTest, OtherFrameworksAreInTheWay) {
  const std::string text = Steps(3, 50, 30);
  const TestRun base(Replaced(text, "pid=1", "pid=1 framework=\"jax 0.10.2\""));
  const TestRun now(
      Replaced(text, "pid=1", "pid=1 framework=\"torch 2.11.0\""));
  const Difference difference = Compare(base.side(), now.side());
  ASSERT_EQ(difference.unlike.size(), 1u);
  EXPECT_EQ(difference.unlike[0].what, Unlikeness::kFramework);
  EXPECT_EQ(difference.unlike[0].base, "jax");
}

TEST(DifferenceTest, AnotherGpuIsSaidAndBarsOnlyRules) {
  const TestRun base(Steps(3, 50, 30, "a"));
  const TestRun now(Steps(3, 50, 30, "b"));
  const Difference difference = Compare(base.side(), now.side());
  ASSERT_EQ(difference.unlike.size(), 1u);
  EXPECT_EQ(difference.unlike[0].what, Unlikeness::kGpu);
  EXPECT_TRUE(difference.BarredBy(Bars::kAll).empty());
  EXPECT_EQ(difference.BarredBy(Bars::kRules).size(), 1u);
}

TEST(DifferenceTest, TooFewStepsAreInTheWayIfMoreWereAskedFor) {
  const TestRun run(Steps(3, 50, 30));
  EXPECT_TRUE(Compare(run.side(), run.side(), 5).unlike.empty());
  const Difference difference = Compare(run.side(), run.side(), 50);
  ASSERT_EQ(difference.unlike.size(), 1u);
  EXPECT_EQ(difference.unlike[0].what, Unlikeness::kFewSteps);
}

}  // namespace
}  // namespace dltap::analyzer
