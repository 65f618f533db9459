// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/summary/summary.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "analyzer/metrics/figures/figures.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

Summary SummaryOf(const std::string& text) {
  const TraceModel model = TraceFromText(text);
  return Summarise(model, Attribute(model));
}

ClassSummary Of(const Summary& summary, LayerClass layer_class) {
  return TotalsOf(summary).classes[static_cast<size_t>(layer_class)];
}

const DeviceSummary& DeviceOf(const Summary& summary) {
  return summary.devices.at(0);
}

int64_t StateUs(const Summary& summary, DeviceState state) {
  return DeviceOf(summary).in(state) / 1000;
}

TEST(SummaryTest, OverlappingStreamsAreBusyOnce) {
  const Summary summary = SummaryOf(
      "device 0 name=gpu\n"
      "kernel t=0..60us device=0 stream=7 name=ampere_sgemm_128x64_nn\n"
      "kernel t=40..100us device=0 stream=8 name=ampere_sgemm_128x64_nn\n"
      "kernel t=90..100us device=0 stream=9 name=softmax_warp_forward\n");
  const ClassSummary gemm = Of(summary, LayerClass::kGemm);
  EXPECT_EQ(gemm.gpu_ns, 120'000);
  EXPECT_EQ(gemm.busy_ns, 100'000);
  EXPECT_EQ(gemm.exclusive_ns, 90'000);
  EXPECT_EQ(StateUs(summary, DeviceState::kCompute), 100);
  EXPECT_DOUBLE_EQ(*DeviceOf(summary).utilization(), 1.0);
}

TEST(SummaryTest, ACallHasItsDocumentedNameWhateverTheWrapper) {
  const Summary summary = SummaryOf(
      "device 0 name=gpu\n"
      "call t=0..2us __cudaLaunchKernel\n"
      "call t=3..5us cudaLaunchKernel\n"
      "kernel t=6..60us device=0 stream=7 name=ampere_sgemm_128x64_nn\n");
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.apis.size(), 1u);
  EXPECT_EQ(figures.apis[0].name, "cudaLaunchKernel");
  EXPECT_EQ(figures.apis[0].sums.calls, 2u);
}

// A clock of whole microseconds gives short kernels no length.
TEST(SummaryTest, KernelsWithoutLengthCount) {
  const Summary summary = SummaryOf(
      "device 0 name=gpu\n"
      "kernel t=0..10us device=0 stream=7 name=ampere_sgemm_128x64_nn\n"
      "kernel t=5..5us device=0 stream=8 name=softmax_warp_forward\n"
      "kernel t=20..20us device=0 stream=8 name=softmax_warp_forward\n"
      "kernel t=30..40us device=0 stream=7 name=ampere_sgemm_128x64_nn\n");
  EXPECT_EQ(Of(summary, LayerClass::kSoftmax).kernels, 2u);
  EXPECT_EQ(Of(summary, LayerClass::kSoftmax).gpu_ns, 0);
  EXPECT_EQ(TotalsOf(summary).all.kernels, 4u);
}

TEST(SummaryTest, AKernelThatWaitsForPeersIsExposedCommunication) {
  const Summary summary = SummaryOf(
      "device 0 name=gpu\n"
      "kernel t=0..50us device=0 stream=7 name=ampere_sgemm_128x64_nn\n"
      "kernel t=20..90us device=0 stream=9 "
      "name=ncclDevKernel_AllReduce_Sum_f32_RING_LL\n");
  EXPECT_EQ(StateUs(summary, DeviceState::kCompute), 50);
  EXPECT_EQ(StateUs(summary, DeviceState::kComm), 40);
  EXPECT_NEAR(*DeviceOf(summary).utilization(), 50.0 / 90, 1e-9);
}

TEST(SummaryTest, UndeliveredRecordsAreNeitherBusyNorIdle) {
  const Summary summary = SummaryOf(
      "device 0 name=gpu\n"
      "kernel t=0..40us device=0 stream=7 name=ampere_sgemm_128x64_nn\n"
      "kernel t=80..100us device=0 stream=7 name=ampere_sgemm_128x64_nn\n"
      "not_observed t=50..80us device=0 cause=dropped\n");
  EXPECT_EQ(StateUs(summary, DeviceState::kCompute), 60);
  EXPECT_EQ(StateUs(summary, DeviceState::kIdle), 10);
  EXPECT_EQ(StateUs(summary, DeviceState::kNotObserved), 30);
  EXPECT_NEAR(*DeviceOf(summary).utilization(), 60.0 / 70, 1e-9);
}

TEST(SummaryTest, PhasesSumToTheWallTimeExactly) {
  const Summary summary = SummaryOf(
      "device 0 name=gpu\n"
      "thread 0 tid=1 name=python\n"
      "thread 1 tid=2 name=pt_autograd_0\n"
      "call t=0..5us thread=0 cudaMemcpyAsync\n"
      "launchapi t=1..4us thread=0 corr=1\n"
      "memcpy t=6..20us device=0 stream=7 corr=1 kind=htod bytes=9\n"
      "call t=10..15us thread=0 cudaLaunchKernel\n"
      "launchapi t=11..14us thread=0 corr=2\n"
      "kernel t=25..60us device=0 stream=7 corr=2 name=gelu\n"
      "call t=50..70us thread=1 cudaLaunchKernel\n"
      "launchapi t=51..69us thread=1 corr=3\n"
      "kernel t=75..100us device=0 stream=7 corr=3 name=copy_kernel\n"
      "call t=101..103us thread=0 cudaLaunchKernel\n"
      "launchapi t=102..103us thread=0 corr=4\n"
      "kernel t=105..111us device=0 stream=7 corr=4 "
      "name=multi_tensor_apply_kernel\n");
  const PhaseTimes& phases_ns = DeviceOf(summary).phases_ns;
  const auto us = [&](Phase phase) {
    return phases_ns[static_cast<size_t>(phase)] / 1000;
  };
  EXPECT_EQ(us(Phase::kH2d), 14);
  EXPECT_EQ(us(Phase::kForward), 40);   // 35 and the 5 us before it
  EXPECT_EQ(us(Phase::kBackward), 40);  // 25 and the 15 us before it
  EXPECT_EQ(us(Phase::kUpdate), 11);
  EXPECT_EQ(std::accumulate(phases_ns.begin(), phases_ns.end(), int64_t{0}),
            DeviceOf(summary).wall_ns);
}

TEST(SummaryTest, CallArgumentsGiveFlopsAndTheShareOfPeak) {
  // 2 * 4096^3 FLOPs in 10 ms on an H100: 13.7 TFLOP/s of FP32's 66.9.
  const Summary summary = SummaryOf(
      "device 0 name=\"NVIDIA H100 80GB HBM3\"\n"
      "call t=0..5us thread=0 cublasSgemm_v2 m=4096 n=4096 k=4096\n"
      "launchapi t=1..4us thread=0 corr=1 ext=0us\n"
      "kernel t=10us..10010us device=0 stream=7 corr=1 name=anything\n");
  const ClassSummary gemm = Of(summary, LayerClass::kGemm);
  EXPECT_EQ(gemm.calls, 1);
  EXPECT_DOUBLE_EQ(gemm.efficiency.flops, 2.0 * 4096 * 4096 * 4096);
  EXPECT_NEAR(*gemm.efficiency.of_peak(), 0.205, 0.01);
  EXPECT_DOUBLE_EQ(*FiguresOf(summary).trust.flops_known_share, 1.0);
}

TEST(SummaryTest, UnknownKernelsStayVisible) {
  const Summary summary = SummaryOf(
      "device 0 name=gpu\n"
      "kernel t=0..10us device=0 stream=7 name=my_secret_thing\n");
  EXPECT_EQ(Of(summary, LayerClass::kUnattributed).gpu_ns, 10'000);
  const TrustFigures trust = FiguresOf(summary).trust;
  EXPECT_DOUBLE_EQ(*trust.classified_share, 0.0);
  EXPECT_EQ(trust.kernels_without_launch, 1);
}

// Two kernels of 20 us in a run of 100: the host waits for the first until 45,
// works 35 us, launches in 5, and the device is idle from 40 to 80.
constexpr char kWaitInTheMiddle[] =
    "device 0 name=gpu\n"
    "call t=0..5us thread=0 cudaLaunchKernel\n"
    "launchapi t=1..4us thread=0 corr=1\n"
    "kernel t=20..40us device=0 stream=7 corr=1 name=ampere_sgemm_nn\n"
    "call t=10..45us thread=0 cudaStreamSynchronize\n"
    "call t=75..80us thread=0 cudaLaunchKernel\n"
    "launchapi t=76..79us thread=0 corr=2\n"
    "kernel t=80..100us device=0 stream=7 corr=2 name=ampere_sgemm_nn\n";

TEST(SummaryTest, WithoutWaitsTheLongerOfHostAndDeviceWorkDecides) {
  const Summary summary = SummaryOf(kWaitInTheMiddle);
  const Figures figures = FiguresOf(summary);
  const ProgramFigures& program = figures.program;
  // The window is 20..100. Without samples all but the wait, 20..45, counts.
  EXPECT_EQ(program.host_work_ns, 55'000);
  EXPECT_TRUE(program.host_work_is_bound);
  EXPECT_EQ(program.device_work_ns, 40'000);
  EXPECT_EQ(program.wait_gain_ns, 80'000 - 55'000);
  ASSERT_EQ(program.drained_by.size(), 1);
  EXPECT_EQ(program.drained_by[0].name, "cudaStreamSynchronize");
  EXPECT_EQ(program.drained_by[0].sums.calls, 1);
  EXPECT_EQ(program.drained_by[0].sums.host_ns, 40'000);
  EXPECT_EQ(Of(summary, LayerClass::kGemm).drained_ns[0], 40'000);
}

TEST(SummaryTest, WhatNothingDrainedHasNoGainWithoutWaits) {
  const Summary summary = SummaryOf(
      "device 0 name=gpu\n"
      "call t=0..5us thread=0 cudaLaunchKernel\n"
      "launchapi t=1..4us thread=0 corr=1\n"
      "kernel t=20..40us device=0 stream=7 corr=1 name=ampere_sgemm_nn\n"
      "call t=75..80us thread=0 cudaLaunchKernel\n"
      "launchapi t=76..79us thread=0 corr=2\n"
      "kernel t=80..100us device=0 stream=7 corr=2 name=ampere_sgemm_nn\n");
  EXPECT_EQ(FiguresOf(summary).program.wait_gain_ns, 0);
  EXPECT_EQ(Of(summary, LayerClass::kGemm).drained_ns[2], 40'000);
}

TEST(SummaryTest, WaitsAreNotToBlameForWhatCameAfterNone) {
  // 35 us of the idle time came after the wait.
  const Summary waited = SummaryOf(kWaitInTheMiddle);
  const Figures after = FiguresOf(waited);
  ASSERT_EQ(after.limits.size(), 1);
  EXPECT_EQ(after.limits[0].fault, Fault::kWaits);
  // Then the device is idle for 90 us more without a wait. The host, ready all
  // the time, runs for 80 of 400 us: without waits it keeps up.
  const Summary alone = SummaryOf(
      std::string(kWaitInTheMiddle) +
      "call t=90..91us thread=0 cudaLaunchKernel\n"
      "launchapi t=90..91us thread=0 corr=3\n"
      "kernel t=100..200us device=0 stream=7 corr=3 name=softmax_warp_forward\n"
      "call t=285..290us thread=0 cudaLaunchKernel\n"
      "launchapi t=286..289us thread=0 corr=4\n"
      "kernel t=290..310us device=0 stream=7 corr=4 name=reduce_kernel\n"
      "sample t=0us thread=0 on_cpu=1 cpu=0us\n"
      "sample t=400us thread=0 on_cpu=1 cpu=80us\n");
  const Figures most = FiguresOf(alone);
  ASSERT_EQ(most.limits.size(), 1);
  EXPECT_GT(*most.program.wait_gain_ns, most.limits[0].step_ns / 2);
  EXPECT_EQ(most.limits[0].fault, Fault::kUnknown);
}

}  // namespace
}  // namespace dltap::analyzer
