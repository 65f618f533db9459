// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/limit_sentence.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

std::string LimitOfTrace(const std::string& text) {
  const TraceModel model = TraceFromText(text);
  const Summary summary = Summarise(model, Attribute(model));
  return LimitSentence(FiguresOf(summary));
}

bool Says(const std::string& sentence, const std::string& part) {
  return sentence.find(part) != std::string::npos;
}

TEST(LimitSentenceTest, NothingIsSaidOfNoGpuWork) {
  EXPECT_EQ(LimitOfTrace("call t=0..5us cudaLaunchKernel\n"), "");
}

TEST(LimitSentenceTest, ExposedCommunication) {
  const std::string limit = LimitOfTrace(
      "device 0 name=gpu\n"
      "kernel t=0..50us device=0 stream=7 name=ampere_sgemm_128x64_nn\n"
      "kernel t=20..90us device=0 stream=9 "
      "name=ncclDevKernel_AllReduce_Sum_f32_RING_LL\n");
  EXPECT_TRUE(Says(limit, "communication is exposed for 44.4 %")) << limit;
}

TEST(LimitSentenceTest, WhereNothingStandsOutTheLargestAreNamed) {
  const TraceModel model = TraceFromText(
      "device 0 name=gpu\n"
      "kernel t=0..30us device=0 stream=7 name=ampere_sgemm_128x64_nn\n"
      "kernel t=30..60us device=0 stream=7 name=softmax_warp_forward\n"
      "kernel t=60..85us device=0 stream=7 name=layer_norm_kernel\n"
      "kernel t=85..100us device=0 stream=7 name=max_pool_forward_nchw\n");
  const Summary summary = Summarise(model, Attribute(model));
  const Figures figures = FiguresOf(summary);
  ASSERT_TRUE(figures.limits.empty());
  EXPECT_EQ(LimitSentence(figures),
            "no kind of work stands out: GEMM 30.0 %, SOFTMAX 30.0 %, NORM "
            "25.0 % of the GPU's time.");
}

TEST(LimitSentenceTest, ALargeProductIsBoundByCompute) {
  const std::string limit = LimitOfTrace(
      "device 0 name=\"NVIDIA H100 80GB HBM3\" cc=9.0 sms=132\n"
      "call t=0..5us thread=0 cublasSgemm_v2 m=4096 n=4096 k=4096\n"
      "launchapi t=1..2us thread=0 corr=1 ext=0us\n"
      "kernel t=10us..3010us device=0 stream=7 corr=1 name=anything\n");
  EXPECT_TRUE(Says(limit, "GEMM takes 100.0 % of the GPU's time")) << limit;
  EXPECT_TRUE(Says(limit, "bound by compute")) << limit;
}

// Kernels of 2 us, one every 10 us, each ended by the launch that led to it.
TEST(LimitSentenceTest, ShortKernelsWaitForTheirLaunches) {
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < 40; ++i) {
    const auto at = [i](int us) { return std::to_string(10 * i + us); };
    text += "call t=" + at(0) + ".." + at(9) +
            "us thread=0 cudaLaunchKernel corr=" + std::to_string(i + 1) +
            "\nlaunchapi t=" + at(0) + ".." + at(9) +
            "us thread=0 corr=" + std::to_string(i + 1) +
            "\nkernel t=" + at(10) + ".." + at(12) +
            "us device=0 stream=7 corr=" + std::to_string(i + 1) +
            " name=gemm_small\n";
  }
  const std::string limit = LimitOfTrace(text);
  EXPECT_TRUE(Says(limit, "for kernel launches")) << limit;
  EXPECT_TRUE(Says(limit, "kernels and copies of 2.0 us each (1 a step)"))
      << limit;
}

TEST(LimitSentenceTest, StepsThatLoadModulesAreSaidTo) {
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < 20; ++i) {
    const auto at = [i](int us) { return std::to_string(100 * i + us); };
    const std::string corr = std::to_string(i + 1);
    text += "call t=" + at(20) + ".." + at(40) +
            "us thread=0 cuModuleLoadData\ncall t=" + at(80) + ".." + at(85) +
            "us thread=0 cudaLaunchKernel\nlaunchapi t=" + at(81) + ".." +
            at(84) + "us thread=0 corr=" + corr + "\nkernel t=" + at(88) +
            ".." + at(98) + "us device=0 stream=7 corr=" + corr +
            " name=gemm_small\n";
  }
  const std::string limit = LimitOfTrace(text);
  EXPECT_TRUE(Says(limit, "; modules were loaded in 18 of 18 steps.")) << limit;
}

// Kernels of 50 us; each time the host waits, then computes for 60 us.
std::string WaitAndCompute(int times) {
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < times; ++i) {
    const auto at = [i](int us) { return std::to_string(120 * i + us); };
    const std::string corr = std::to_string(i + 1);
    text += "call t=" + at(0) + ".." + at(2) +
            "us thread=0 cudaLaunchKernel\nlaunchapi t=" + at(0) + ".." +
            at(2) + "us thread=0 corr=" + corr + "\nkernel t=" + at(3) + ".." +
            at(53) + "us device=0 stream=7 corr=" + corr +
            " name=gelu\ncall t=" + at(4) + ".." + at(55) +
            "us thread=0 cudaStreamSynchronize\n";
  }
  return text;
}

TEST(LimitSentenceTest, TheCallThatEmptiesTheQueueIsNamed) {
  const std::string limit = LimitOfTrace(WaitAndCompute(10));
  EXPECT_TRUE(Says(limit, "cudaStreamSynchronize")) << limit;
  EXPECT_TRUE(Says(limit, " a step")) << limit;
}

TEST(LimitSentenceTest, WithoutStepsNothingIsSaidOfThem) {
  const std::string limit = LimitOfTrace(WaitAndCompute(2));
  EXPECT_TRUE(Says(limit, "cudaStreamSynchronize")) << limit;
  EXPECT_FALSE(Says(limit, " a step")) << limit;
}

// Back to back kernels of 4 us: the GPU is busy, its peak far away.
TEST(LimitSentenceTest, ManySmallKernelsAreTooSmallToFillTheGpu) {
  std::string text = "device 0 name=\"NVIDIA H100 80GB HBM3\" cc=9.0 sms=132\n";
  for (int i = 0; i < 40; ++i) {
    const std::string corr = std::to_string(i + 1);
    const auto at = [i](int us) { return std::to_string(4 * i + us); };
    text += "call t=" + at(0) + ".." + at(2) +
            "us thread=0 cublasSgemm_v2 m=64 n=64 k=64\nlaunchapi t=" + at(0) +
            ".." + at(1) + "us thread=0 corr=" + corr + " ext=" + at(0) +
            "us\nkernel t=" + at(10) + ".." + at(14) +
            "us device=0 stream=7 corr=" + corr + " name=lstm_gemm\n";
  }
  const std::string limit = LimitOfTrace(text);
  EXPECT_TRUE(Says(limit, "kernels of 4.0 us each are too small")) << limit;
}

// Each kernel of 50 us is followed by a wait, then by 40 us of Python: the
// host could run ahead.
constexpr int kWaitedSteps = 20;
std::string WaitAfterEachKernel() {
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < kWaitedSteps; ++i) {
    const auto at = [i](int us) { return std::to_string(100 * i + us); };
    const std::string corr = std::to_string(i + 1);
    text += "call t=" + at(0) + ".." + at(4) +
            "us thread=0 cublasSgemm_v2 m=64 n=64 k=64\nlaunchapi t=" + at(1) +
            ".." + at(3) + "us thread=0 corr=" + corr + " ext=" + at(0) +
            "us\nkernel t=" + at(6) + ".." + at(56) +
            "us device=0 stream=7 corr=" + corr +
            " name=sgemm\ncall t=" + at(5) + ".." + at(60) +
            "us thread=0 cudaStreamSynchronize\n";
  }
  return text;
}

TEST(LimitSentenceTest, WaitsThatEmptyTheQueueAreToBlame) {
  const std::string limit = LimitOfTrace(WaitAfterEachKernel());
  EXPECT_TRUE(Says(limit, "after cudaStreamSynchronize (")) << limit;
  EXPECT_TRUE(Says(limit, "had emptied the queue")) << limit;
  EXPECT_TRUE(Says(limit, "it waits 0.04 ms (40.0 %)")) << limit;
  EXPECT_TRUE(Says(limit, "at most 0.04 ms a step, the GPU 0.05")) << limit;
}

TEST(LimitSentenceTest, ALoaderThatRunsInTheLaunchingThreadIsNamed) {
  std::string text = WaitAfterEachKernel();
  for (int i = 0; i < kWaitedSteps; ++i) {
    text += "range t=" + std::to_string(100 * i + 61) + ".." +
            std::to_string(100 * i + 99) +
            "us thread=0 kind=user name=DataLoader\nsample t=" +
            std::to_string(100 * i + 80) +
            "us thread=0 on_cpu=1 cpu=" + std::to_string(40 * i) + "us\n";
  }
  const std::string limit = LimitOfTrace(text);
  EXPECT_TRUE(Says(limit, "which the launching thread makes itself")) << limit;
}

// Steps of 100 ms with a kernel of 10; a sample in each finds the thread ready
// to run, with 10 ms more of CPU time.
TEST(LimitSentenceTest, BehindABusyMachineStandsTheProgramsOwnLimit) {
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < 40; ++i) {
    const auto at = [i](int us) { return std::to_string(100'000 * i + us); };
    const std::string corr = std::to_string(i + 1);
    text += "call t=" + at(0) + ".." + at(100) +
            "us thread=0 cublasSgemm_v2 m=64 n=64 k=64\nlaunchapi t=" + at(1) +
            ".." + at(90) + "us thread=0 corr=" + corr + " ext=" + at(0) +
            "us\nkernel t=" + at(110) + ".." + at(10'110) +
            "us device=0 stream=7 corr=" + corr +
            " name=sgemm\nsample t=" + at(50'000) +
            "us thread=0 on_cpu=1 cpu=" + std::to_string(10 * (i + 1)) + "ms\n";
  }
  const TraceModel model = TraceFromText(text);
  const Summary summary = Summarise(model, Attribute(model));
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.limits.size(), 2U);
  EXPECT_EQ(figures.limits[0].fault, Fault::kPreemption);
  EXPECT_NE(figures.limits[1].fault, Fault::kPreemption);
  EXPECT_FALSE(LimitSentence(figures, figures.limits[1]).empty());
}

}  // namespace
}  // namespace dltap::analyzer
