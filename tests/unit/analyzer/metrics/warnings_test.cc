// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/warnings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "analyzer/metrics/figures/figures.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

Summary SummaryOf(const std::string& text) {
  const TraceModel model = TraceFromText(text);
  return Summarise(model, Attribute(model));
}

// Null: it is not said.
const Warning* Find(const Figures& figures, WarningId id) {
  const auto it =
      std::find_if(figures.warnings.begin(), figures.warnings.end(),
                   [id](const Warning& warning) { return warning.id == id; });
  return it == figures.warnings.end() ? nullptr : &*it;
}

// A process that last returned from a call at 5 us, was then in another one,
// and gave a sign of life at `seen`.
std::string InACall(int pid, const std::string& seen) {
  return "process pid=" + std::to_string(pid) +
         " program=train incomplete\n"
         "device 0 name=gpu\n"
         "call t=0..5us thread=0 cudaLaunchKernel launches=a\n"
         "kernel t=10..20us device=0 name=a\n"
         "open t=10us thread=0 cudaDeviceSynchronize\n"
         "process_sample t=" +
         seen + " cpu=1ms resident=4096\n";
}

TEST(WarningsTest, AProcessThatHangsIsNamedWithItsCall) {
  const Summary summary = SummaryOf(InACall(1, "11s") + InACall(2, "30s"));
  const Figures figures = FiguresOf(summary);
  const Warning* const warning = Find(figures, WarningId::kInsideCall);
  ASSERT_NE(warning, nullptr);
  EXPECT_EQ(warning->count, 2);
  EXPECT_EQ(warning->process->key.pid, 2);
  EXPECT_EQ(warning->process->inside->name, "cudaDeviceSynchronize");
  EXPECT_EQ(warning->process->inside->ns, 30'000'000'000 - 10'000);
}

TEST(WarningsTest, AShortCallIsNoHang) {
  const Summary summary = SummaryOf(InACall(1, "2s"));
  EXPECT_TRUE(summary.processes[0].inside);
  EXPECT_EQ(Find(FiguresOf(summary), WarningId::kInsideCall), nullptr);
}

TEST(WarningsTest, AFlushThatCameTooLateIsNoSingleRecord) {
  const std::string work =
      "device 0 name=gpu\nkernel t=0..10us device=0 name=a\n";
  const Summary summary = SummaryOf(
      "process pid=1 incomplete\nloss flush_deadline 1\n" + work +
      "process pid=2\nloss flush_deadline 0\nloss ring_full 3\n" + work);
  const Figures figures = FiguresOf(summary);
  const Warning* const late = Find(figures, WarningId::kNotFlushed);
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(late->count, 1);
  const Warning* const lost = Find(figures, WarningId::kLostRecords);
  ASSERT_NE(lost, nullptr);
  EXPECT_EQ(lost->count, 3);
}

// Marked steps of 100 us, half of each busy.
std::string Training(int pid, int steps) {
  std::string text =
      "process pid=" + std::to_string(pid) + "\ndevice 0 name=gpu\n";
  for (int i = 0; i < steps; ++i) {
    const auto at = [i](int us) { return std::to_string(100 * i + us); };
    text += "range t=" + at(0) + ".." + at(100) +
            "us thread=0 kind=nvtx name=\"step " + std::to_string(i) +
            "\"\nkernel t=" + at(1) + ".." + at(51) + "us device=0 name=gemm\n";
  }
  return text;
}

TEST(WarningsTest, AWholeRunAmongStepsIsSaid) {
  const std::string other =
      "process pid=9\ndevice 0 name=gpu\n"
      "kernel t=0..10us device=0 name=gelu\n"
      "kernel t=590..600us device=0 name=gelu\n";
  const Summary both = SummaryOf(Training(1, 4) + other);
  const Figures figures = FiguresOf(both);
  const Warning* const warning = Find(figures, WarningId::kRunsWithoutSteps);
  ASSERT_NE(warning, nullptr);
  EXPECT_EQ(warning->count, 1);
  // Four steps of 100 us, of which the first begins with its kernel, and 600.
  EXPECT_NEAR(*warning->share, 600.0 / 999, 1e-9);
  for (const Summary& alone : {SummaryOf(Training(1, 4)), SummaryOf(other)}) {
    EXPECT_EQ(Find(FiguresOf(alone), WarningId::kRunsWithoutSteps), nullptr);
  }
}

TEST(WarningsTest, FixedCostsOfHostCallsAreSaidFirst) {
  const std::string text =
      "process pid=1 incomplete\nhost_clock fixed_costs\ndevice 0 name=gpu\n"
      "kernel t=10..20us device=0 name=a\n";
  const Summary summary = SummaryOf(text);
  const Figures figures = FiguresOf(summary);
  ASSERT_FALSE(figures.warnings.empty());
  EXPECT_EQ(figures.warnings.front().id, WarningId::kHostTimesFixed);
}

// A mark of the simulation's domain is a look at a number; others are not.
TEST(WarningsTest, NumbersThatNobodyComputedAreCountedByPlace) {
  const auto mark = [](const std::string& domain, const std::string& place) {
    return "range t=5..5us thread=0 kind=nvtx name=\"" + place +
           "\" domain=\"" + domain + "\"\n";
  };
  const std::string simulation = "dltap.simulation";
  const Summary summary = SummaryOf(
      "device 0 name=gpu\nthread 0\n" + mark(simulation, "a.py:3") +
      mark("other", "a.py:3") + mark(simulation, "b.py:9") +
      mark(simulation, "a.py:3") + "kernel t=10..20us device=0 name=a\n");
  const Figures figures = FiguresOf(summary);
  const Warning* const warning = Find(figures, WarningId::kUncomputedReads);
  ASSERT_NE(warning, nullptr);
  EXPECT_EQ(warning->count, 3);
  const std::map<std::string, uint64_t> places = {{"a.py:3", 2}, {"b.py:9", 1}};
  EXPECT_EQ(figures.trust.uncomputed_reads, places);
  EXPECT_FALSE(figures.trust.reads_are_plausible);
}

TEST(WarningsTest, TheDomainTellsThatTheyWereRandom) {
  const Summary summary = SummaryOf(
      "device 0 name=gpu\nthread 0\n"
      "range t=5..5us thread=0 kind=nvtx name=\"a.py:3\" "
      "domain=\"dltap.simulation.plausible\"\n"
      "kernel t=10..20us device=0 name=a\n");
  const Figures figures = FiguresOf(summary);
  EXPECT_EQ(figures.trust.uncomputed_reads.at("a.py:3"), 1);
  EXPECT_TRUE(figures.trust.reads_are_plausible);
}

TEST(WarningsTest, MeasuredHostTimesAreNotWarnedOf) {
  const Summary summary = SummaryOf(InACall(1, "11s"));
  const Figures figures = FiguresOf(summary);
  EXPECT_EQ(Find(figures, WarningId::kHostTimesFixed), nullptr);
}

// 100 us of kernels in a run that goes backward; of some nothing tells where.
std::string WithDirections(int known_us) {
  const auto kernel = [](int begin, int end, const std::string& name) {
    return "kernel t=" + std::to_string(begin) + ".." + std::to_string(end) +
           "us device=0 name=\"" + name + "\"\n";
  };
  return "device 0 name=gpu\n" +
         kernel(0, known_us, "void tensorflow::BiasGradNHWC_SharedAtomics()") +
         kernel(known_us, 100, "Mul_GPU_DT_FLOAT_DT_FLOAT_kernel");
}

TEST(WarningsTest, DirectionsThatNothingTellsAreSaid) {
  const Summary summary = SummaryOf(WithDirections(40));
  const Figures figures = FiguresOf(summary);
  const Warning* const warning = Find(figures, WarningId::kDirectionUnknown);
  ASSERT_NE(warning, nullptr);
  EXPECT_DOUBLE_EQ(*warning->share, 0.6);
  const Summary of_few = SummaryOf(WithDirections(95));
  EXPECT_EQ(Find(FiguresOf(of_few), WarningId::kDirectionUnknown), nullptr);
}

TEST(WarningsTest, WhereNothingGoesBackwardNoDirectionIsMissed) {
  const Summary summary = SummaryOf(WithDirections(0));
  EXPECT_EQ(Find(FiguresOf(summary), WarningId::kDirectionUnknown), nullptr);
}

}  // namespace
}  // namespace dltap::analyzer
