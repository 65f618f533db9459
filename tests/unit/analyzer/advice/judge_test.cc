// SPDX-License-Identifier: Apache-2.0
#include "analyzer/advice/judge.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/analyzer/advice/advice_of_text.h"

namespace dltap::analyzer {
namespace {

// Steps of 100 us, of which a GEMM takes 60.
std::string Training(const std::string& more = "", int steps = 20) {
  std::string text = "process pid=1\n" + more + std::string(kH100);
  for (int i = 0; i < steps; ++i) {
    const int at = 100 * i;
    text +=
        Line("range t=", at, "..", at + 99, "us thread=0 kind=step name=s") +
        Line("call t=", at + 1, "..", at + 5,
             "us thread=0 cublasSgemm_v2 m=512 n=512 k=512") +
        Line("launchapi t=", at + 2, "..", at + 4, "us thread=0 corr=", i + 1,
             " ext=", at + 1, "us") +
        Line("kernel t=", at + 6, "..", at + 66,
             "us device=0 stream=7 corr=", i + 1, " name=sgemm");
  }
  return text;
}

constexpr Rule kRule{"rule", kNeedsCounts, false, nullptr};

class JudgeTest : public ::testing::Test {
 protected:
  explicit JudgeTest(const std::string& text = Training())
      : model_(TraceFromText(text)),
        summary_(Summarise(model_, Attribute(model_))),
        figures_(FiguresOf(summary_)),
        facts_(summary_, figures_) {}

  Found Of(double low_share, LayerClass claims, double claimed_share = 1) {
    Advice advice;
    advice.gain_ns = advice.gain_low_ns = advice.gain_high_ns =
        low_share * facts_.step_ns;
    advice.evidence.steps_seen = facts_.steps;
    advice.claims.With(claims);
    advice.claimed_ns = claimed_share * facts_.step_ns;
    return {&rule_, &facts_, advice};
  }
  std::string ReasonOf(const Found& found) {
    const AdviceList list = Judge({found});
    return list.held_back.empty() ? "" : list.held_back[0].reason;
  }

  const TraceModel model_;
  const Summary summary_;
  const Figures figures_;
  const Facts facts_;
  Rule rule_ = kRule;
};

TEST_F(JudgeTest, ASureGainIsGiven) {
  EXPECT_EQ(ReasonOf(Of(0.02, LayerClass::kGemm)), "");
}

TEST_F(JudgeTest, NothingGainsMoreThanTheStep) {
  Found found = Of(0.5, LayerClass::kGemm);
  found.advice.gain_high_ns = 3 * facts_.step_ns;
  found.advice.gain_ns = 1.75 * facts_.step_ns;
  const AdviceList list = Judge({found});
  ASSERT_EQ(list.given.size(), 1);
  EXPECT_EQ(list.given[0].gain_low_ns, 0.5 * facts_.step_ns);
  EXPECT_EQ(list.given[0].gain_ns, 0.75 * facts_.step_ns);
  EXPECT_EQ(list.given[0].gain_high_ns, facts_.step_ns);
  EXPECT_EQ(list.given[0].gain_high_share, 1);
}

TEST_F(JudgeTest, ALittleGainIsHeldBack) {
  EXPECT_EQ(ReasonOf(Of(0.019, LayerClass::kGemm)),
            "it may gain as little as 1.9 % of the step; 2 % is worth a word");
}

TEST_F(JudgeTest, WhatFewStepsShowIsHeldBack) {
  Found found = Of(0.5, LayerClass::kGemm);
  found.advice.evidence.steps_seen = facts_.steps * 79 / 100;
  EXPECT_EQ(ReasonOf(found).substr(0, 12), "seen in only");
  found.advice.evidence.steps_seen = (facts_.steps * 80 + 99) / 100;
  EXPECT_EQ(ReasonOf(found), "");
}

TEST_F(JudgeTest, TheSurestGainComesFirst) {
  const AdviceList list =
      Judge({Of(0.1, LayerClass::kGemm), Of(0.3, LayerClass::kConv)});
  ASSERT_EQ(list.given.size(), 2U);
  EXPECT_DOUBLE_EQ(list.given[0].gain_low_share, 0.3);
  EXPECT_FALSE(list.given[1].more);
}

TEST_F(JudgeTest, ThreeAreGiven) {
  const AdviceList list =
      Judge({Of(0.1, LayerClass::kGemm), Of(0.3, LayerClass::kConv),
             Of(0.2, LayerClass::kNorm), Of(0.05, LayerClass::kLoss)});
  EXPECT_EQ(list.given.size(), 3U);
  ASSERT_EQ(list.held_back.size(), 1U);
  EXPECT_EQ(list.held_back[0].reason, "three others gain more");
}

TEST_F(JudgeTest, NoNanosecondIsSavedTwice) {
  const AdviceList list =
      Judge({Of(0.3, LayerClass::kGemm, 0.4), Of(0.2, LayerClass::kGemm, 0.4)});
  ASSERT_EQ(list.given.size(), 2U);
  EXPECT_TRUE(list.given[1].more);
  EXPECT_NEAR(list.given[1].gain_share, 0.1, 1e-9);
}

TEST_F(JudgeTest, WhatLeavesNothingIsHeldBack) {
  const AdviceList list =
      Judge({Of(0.4, LayerClass::kGemm, 0.4), Of(0.2, LayerClass::kGemm, 0.4)});
  ASSERT_EQ(list.held_back.size(), 1U);
  EXPECT_EQ(list.held_back[0].reason, "it would save the same time as ");
}

TEST_F(JudgeTest, UnknownFlopsHoldBackWhatNeedsThem) {
  rule_.needs = kNeedsFlops;
  Found found = Of(0.3, LayerClass::kGemm);
  found.advice.layer_class = LayerClass::kGemm;
  EXPECT_EQ(ReasonOf(found), "");
  found.advice.layer_class = LayerClass::kNorm;
  EXPECT_EQ(ReasonOf(found), "the FLOPs of too much of its class are unknown");
}

class VirtualJudgeTest : public JudgeTest {
 protected:
  VirtualJudgeTest() : JudgeTest(Training("host_clock fixed_costs\n")) {}
};

TEST_F(VirtualJudgeTest, FixedCostsOfCallsAreNoHostTimes) {
  EXPECT_EQ(ReasonOf(Of(0.3, LayerClass::kGemm)), "");
  rule_.needs = kNeedsHostTimes;
  EXPECT_EQ(ReasonOf(Of(0.3, LayerClass::kGemm)),
            "host times are fixed costs (virtual clock)");
}

class LossyJudgeTest : public JudgeTest {
 protected:
  LossyJudgeTest() : JudgeTest(Training("loss ring_full 3\n")) {}
};

TEST_F(LossyJudgeTest, LostRecordsHoldBackWhatCounts) {
  EXPECT_EQ(ReasonOf(Of(0.3, LayerClass::kGemm)),
            "the trace warns of lost records");
}

class HardlyLossyJudgeTest : public JudgeTest {
 protected:
  HardlyLossyJudgeTest() : JudgeTest(Training("loss ring_full 2\n", 2000)) {}
};

TEST_F(HardlyLossyJudgeTest, OneLostRecordInAThousandHoldsBackNothing) {
  EXPECT_EQ(ReasonOf(Of(0.3, LayerClass::kGemm)), "");
}

// A kernel more in each step, whose launch was before the trace began.
class UnlaunchedJudgeTest : public JudgeTest {
 protected:
  UnlaunchedJudgeTest() : JudgeTest(Training() + Unlaunched()) {}

 private:
  static std::string Unlaunched() {
    std::string text;
    for (int i = 0; i < 20; ++i) {
      text += Line("kernel t=", 100 * i + 70, "..", 100 * i + 90,
                   "us device=0 stream=7 name=sgemm");
    }
    return text;
  }
};

TEST_F(UnlaunchedJudgeTest, KernelsWithoutLaunchTouchHostTimesOnly) {
  rule_.needs = kNeedsCounts | kNeedsClasses;
  EXPECT_EQ(ReasonOf(Of(0.3, LayerClass::kGemm)), "");
  rule_.needs = kNeedsHostTimes;
  EXPECT_EQ(ReasonOf(Of(0.3, LayerClass::kGemm)),
            "the trace warns of kernels without launch");
}

class StepsJudgeTest : public JudgeTest {
 protected:
  StepsJudgeTest()
      : JudgeTest(
            "device 0 name=gpu\nkernel t=0..9us device=0 stream=7 "
            "name=sgemm\n") {}
};

TEST_F(StepsJudgeTest, WithoutStepsNothingIsGiven) {
  EXPECT_EQ(ReasonOf(Of(0.3, LayerClass::kGemm)),
            "no steps were found to judge by");
}

// As of torch.profiler's schedule(active=1).
class OneMarkedStepJudgeTest : public JudgeTest {
 protected:
  OneMarkedStepJudgeTest() : JudgeTest(Training("", 1)) {}
};

TEST_F(OneMarkedStepJudgeTest, AStepThatTheProgramMarksIsEnough) {
  EXPECT_EQ(facts_.steps, 1U);
  EXPECT_EQ(ReasonOf(Of(0.3, LayerClass::kGemm)), "");
}

// Two updates make two steps without a marker.
class TwoFoundStepsJudgeTest : public JudgeTest {
 protected:
  static std::string Unmarked() {
    std::string text = Training("", 3);
    for (size_t at; (at = text.find(" kind=step name=s")) != text.npos;) {
      text.replace(at, 17, " name=r");
    }
    return text;
  }
  TwoFoundStepsJudgeTest() : JudgeTest(Unmarked()) {}
};

TEST_F(TwoFoundStepsJudgeTest, TwoStepsThatWereOnlyFoundAreTooFew) {
  ASSERT_EQ(figures_.steps.found_by, StepsFoundBy::kPeriod);
  ASSERT_EQ(facts_.steps, 2U);
  EXPECT_EQ(ReasonOf(Of(0.3, LayerClass::kGemm)), "too few steps");
}

}  // namespace
}  // namespace dltap::analyzer
