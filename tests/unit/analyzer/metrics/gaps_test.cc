// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/gaps.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

// Every trace begins with a kernel that ends at 100 us, so that the gap under
// test starts there.
constexpr char kFirstKernel[] =
    "device 0 name=gpu\n"
    "call t=0..4us thread=0 cudaLaunchKernel\n"
    "launchapi t=1..3us thread=0 corr=1\n"
    "kernel t=10..100us device=0 stream=7 corr=1 name=first\n";

Gap OnlyGap(const std::string& rest) {
  const TraceModel model = TraceFromText(kFirstKernel + rest);
  const Process& process = model.processes[0];
  const Attribution attribution = Attribute(model);
  const Steps steps;
  const auto windows =
      StepWindows(process, attribution.processes[0], steps, DeviceId(0));
  const auto gaps = FindGaps(model, process, attribution.processes[0], steps,
                             DeviceId(0), windows);
  EXPECT_EQ(gaps.size(), 1);
  return gaps.empty() ? Gap{} : gaps[0];
}

int64_t Us(const Gap& gap, IdleCause cause) {
  return gap.ns[static_cast<size_t>(cause)] / 1000;
}

TEST(GapsTest, LaunchBoundWaitsInsideTheLaunch) {
  const Gap gap = OnlyGap(
      "call t=90..120us thread=0 cudaLaunchKernel\n"
      "launchapi t=91..119us thread=0 corr=2\n"
      "kernel t=125..130us device=0 stream=7 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kLaunch), 20);
  EXPECT_EQ(Us(gap, IdleCause::kLatency), 5);
}

TEST(GapsTest, TimeInsideALibraryCallIsTheLibrarys) {
  const Gap gap = OnlyGap(
      "call t=95..140us thread=0 cublasSgemm_v2 m=8 n=8 k=8\n"
      "launchapi t=130..138us thread=0 corr=2 ext=95us\n"
      "kernel t=145..150us device=0 stream=7 corr=2 name=sgemm\n");
  EXPECT_EQ(Us(gap, IdleCause::kLibrary), 40);
  EXPECT_EQ(Us(gap, IdleCause::kLatency), 5);
}

TEST(GapsTest, AfterAWaitTheWholeHostPartIsSync) {
  // The host waited for the first kernel, then ran Python for 80 us.
  const Gap gap = OnlyGap(
      "call t=5..105us thread=0 cudaStreamSynchronize\n"
      "call t=185..190us thread=0 cudaLaunchKernel\n"
      "launchapi t=186..189us thread=0 corr=2\n"
      "kernel t=195..200us device=0 stream=7 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kSync), 90);
  EXPECT_EQ(Us(gap, IdleCause::kLatency), 5);
}

TEST(GapsTest, AWaitOfTheThreadThatHandedOverCounts) {
  // Thread 0 waits, then hands the backward pass to thread 1.
  const Gap gap = OnlyGap(
      "thread 1 tid=2 name=pt_autograd_0\n"
      "call t=5..110us thread=0 cudaStreamSynchronize\n"
      "call t=150..155us thread=1 cudaLaunchKernel\n"
      "launchapi t=151..154us thread=1 corr=2\n"
      "kernel t=160..170us device=0 stream=7 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kSync), 55);
}

TEST(GapsTest, ALateCopyOfTheInputIsInput) {
  const Gap gap = OnlyGap(
      "call t=180..190us thread=0 cudaMemcpyAsync\n"
      "launchapi t=181..189us thread=0 corr=2\n"
      "memcpy t=195..200us device=0 stream=7 corr=2 kind=htod bytes=64\n");
  EXPECT_EQ(Us(gap, IdleCause::kInput), 80);
  EXPECT_EQ(Us(gap, IdleCause::kLaunch), 10);
  EXPECT_EQ(Us(gap, IdleCause::kLatency), 5);
}

TEST(GapsTest, CpuSamplesSplitFrameworkFromBlocked) {
  // A quarter of the sampled span on the CPU.
  const Gap gap = OnlyGap(
      "sample t=0us thread=0 on_cpu=1 cpu=0us\n"
      "sample t=400us thread=0 on_cpu=1 cpu=100us\n"
      "call t=180..190us thread=0 cudaLaunchKernel\n"
      "launchapi t=181..189us thread=0 corr=2\n"
      "kernel t=195..200us device=0 stream=7 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kFramework), 20);
  EXPECT_EQ(Us(gap, IdleCause::kBlocked), 60);
  EXPECT_EQ(Us(gap, IdleCause::kUnknown), 0);
}

TEST(GapsTest, WithoutSamplesTheHostIsUnknown) {
  const Gap gap = OnlyGap(
      "call t=180..190us thread=0 cudaLaunchKernel\n"
      "launchapi t=181..189us thread=0 corr=2\n"
      "kernel t=195..200us device=0 stream=7 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kUnknown), 80);
}

TEST(GapsTest, AKernelThatWaitsLongAfterSubmissionDependsOnSomething) {
  const Gap gap = OnlyGap(
      "call t=50..60us thread=0 cudaLaunchKernel\n"
      "launchapi t=51..59us thread=0 corr=2\n"
      "kernel t=180..190us device=0 stream=9 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kDependency), 80);
}

TEST(GapsTest, AShortGapIsLatencyWhateverTheHostDid) {
  const Gap gap = OnlyGap(
      "call t=90..120us thread=0 cudaLaunchKernel\n"
      "launchapi t=91..119us thread=0 corr=2\n"
      "kernel t=101..130us device=0 stream=7 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kLatency), 1);
}

TEST(GapsTest, OwnCostIsTakenOutOfTheHostsPart) {
  const Gap gap = OnlyGap(
      "overhead per_call=3us\n"
      "call t=101..110us thread=0 cudaLaunchKernel\n"
      "call t=180..190us thread=0 cudaLaunchKernel\n"
      "launchapi t=181..189us thread=0 corr=2\n"
      "kernel t=195..200us device=0 stream=7 corr=2 name=next\n");
  EXPECT_EQ(Us(gap, IdleCause::kProfiler), 6);
  EXPECT_EQ(Us(gap, IdleCause::kUnknown), 74);
}

}  // namespace
}  // namespace dltap::analyzer
