// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/metrics/windows/physical_device.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

Summary SummaryOf(const std::string& text, const Selection& selection = {}) {
  const TraceModel model = TraceFromText(text);
  return Summarise(model, Attribute(model), selection);
}

std::string Us(int at) { return std::to_string(at); }

// `steps` marked steps of 100 us from `begin` us on, in each a kernel of 40.
std::string Worker(int pid, int begin, int steps,
                   const std::string& device = "uuid=aa", int ordinal = 0) {
  std::string text = "process pid=" + std::to_string(pid) +
                     " host=node program=worker\ndevice " +
                     std::to_string(ordinal) + " name=H100 " + device + "\n";
  for (int i = 0; i < steps; ++i) {
    const int at = begin + 100 * i;
    const std::string corr = std::to_string(i + 1);
    text += "range t=" + Us(at) + ".." + Us(at + 100) +
            "us thread=0 kind=step name=\"ProfilerStep#" + corr +
            "\"\ncall t=" + Us(at) + ".." + Us(at + 1) +
            "us thread=0 cudaLaunchKernel\nlaunchapi t=" + Us(at) + ".." +
            Us(at + 1) + "us thread=0 corr=" + corr + "\nkernel t=" + Us(at) +
            ".." + Us(at + 40) + "us device=" + std::to_string(ordinal) +
            " stream=7 corr=" + corr + " name=sgemm\n";
  }
  return text;
}

// Makes a kernel long before the workers and one long after.
std::string Parent(int pid) {
  return "process pid=" + std::to_string(pid) +
         " host=node program=parent\ndevice 0 name=H100 uuid=aa\n"
         "kernel t=0..5us device=0 stream=7 name=gelu\n"
         "kernel t=9000..9005us device=0 stream=7 name=gelu\n";
}

const std::string kIdleParent =
    "process pid=1 host=node program=parent\n"
    "device 0 name=H100 uuid=aa\ncall t=0..1us thread=0 cudaGetDevice\n";

// 1,024,000 additions, and half of them.
std::string Adder(int pid, int begin, int blocks) {
  return "process pid=" + std::to_string(pid) +
         " host=node program=worker\ndevice 0 name=H100 uuid=aa\n"
         "library cudart version=13000\nkernel t=" +
         Us(begin) + ".." + Us(begin + 5) +
         "us device=0 stream=7 grid=" + std::to_string(blocks) +
         ",1,1 block=128,1,1 name=\"void at::native::"
         "vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
         "std::array<char*, 3ul> >(int)\"\n";
}

TEST(SharedDeviceTest, WhatLaunchesTellIsThatOfTheirProcess) {
  const Summary summary = SummaryOf(Adder(1, 0, 1000) + Adder(2, 10, 500));
  ASSERT_EQ(summary.devices.size(), 1);
  const auto adders = static_cast<size_t>(LayerClass::kElementwise);
  EXPECT_EQ(summary.devices[0].classes[adders].efficiency.flops, 1'536'000);
}

// The example of METRICS.md "Devices".
TEST(SharedDeviceTest, ProcessesOnOneGpuShareItsTable) {
  // 20 us apart: in each 100 us one computes from 0 to 40, the other from 20
  // to 60, and the union from 0 to 60.
  const Summary summary = SummaryOf(Worker(1, 0, 10) + Worker(2, 20, 10));
  ASSERT_EQ(summary.devices.size(), 1);
  const DeviceSummary& device = summary.devices[0];
  EXPECT_EQ(device.processes.size(), 2);
  EXPECT_EQ(device.wall_ns, 1'020'000);
  EXPECT_EQ(device.in(DeviceState::kCompute), 600'000);
  EXPECT_EQ(std::accumulate(device.phases_ns.begin(), device.phases_ns.end(),
                            int64_t{0}),
            device.wall_ns);
  EXPECT_EQ(TotalsOf(summary).all.gpu_ns, 800'000);
  const Figures figures = FiguresOf(summary);
  EXPECT_EQ(figures.program.gpus.at("H100").devices, 1);
  EXPECT_EQ(figures.program.gpus.at("H100").processes, 2);
  EXPECT_EQ(figures.steps.ns.size(), 20);
  EXPECT_DOUBLE_EQ(*figures.steps.mean_ns, 100'000);
  // While one leaves the GPU idle, the other has it for 20 us of its 40.
  ASSERT_EQ(device.uses.size(), 2);
  for (const auto& [process, use] : device.uses) {
    EXPECT_EQ(use.busy_ns, 400'000) << process.pid;
    EXPECT_EQ(use.others_ns, 200'000) << process.pid;
  }
}

TEST(SharedDeviceTest, OfOneProcessAloneNobodyTakesTurns) {
  EXPECT_TRUE(SummaryOf(Worker(1, 0, 10)).devices[0].uses.empty());
}

TEST(SharedDeviceTest, SumsDoNotDependOnTheOrderOfProcesses) {
  const std::string a = Worker(1, 0, 10), b = Worker(2, 20, 7),
                    c = Worker(3, 333, 5);
  EXPECT_EQ(SummaryOf(a + b + c), SummaryOf(c + a + b));
}

TEST(SharedDeviceTest, AParentThatOnlyForksChangesNothing) {
  const Summary alone = SummaryOf(Worker(2, 0, 10) + Worker(3, 20, 10));
  const Summary both =
      SummaryOf(kIdleParent + Worker(2, 0, 10) + Worker(3, 20, 10));
  EXPECT_EQ(alone.devices, both.devices);
  EXPECT_EQ(FiguresOf(both).steps.processes, 2);
}

TEST(SharedDeviceTest, AProcessWithoutStepsDoesNotHideThoseOfTheOthers) {
  const Summary summary = SummaryOf(Parent(1) + Worker(2, 500, 10));
  ASSERT_EQ(summary.devices.size(), 1);
  EXPECT_EQ(summary.devices[0].wall_ns, 1'000'000);
  EXPECT_EQ(summary.outside.left_out.at("process_without_steps").gpu_ns,
            10'000);
}

TEST(SharedDeviceTest, EqualOrdinalsOfTwoGpusStayApart) {
  const Summary summary =
      SummaryOf(Worker(1, 0, 5, "uuid=aa") + Worker(2, 0, 5, "uuid=bb"));
  EXPECT_EQ(summary.devices.size(), 2);
}

TEST(SharedDeviceTest, OneGpuMayHaveTwoOrdinals) {
  const Summary summary =
      SummaryOf(Worker(1, 0, 5, "uuid=aa", 0) + Worker(2, 0, 5, "uuid=aa", 3));
  ASSERT_EQ(summary.devices.size(), 1);
  EXPECT_EQ(summary.devices[0].processes.size(), 2);
}

TEST(SharedDeviceTest, EqualUuidsOfTwoHostsStayApart) {
  std::string other = Worker(1, 0, 5);
  other.replace(other.find("host=node"), 9, "host=peer");
  EXPECT_EQ(SummaryOf(Worker(1, 0, 5) + other).devices.size(), 2);
}

TEST(SharedDeviceTest, WithoutUuidsHostAndOrdinalTell) {
  EXPECT_EQ(SummaryOf(Worker(1, 0, 5, "") + Worker(2, 0, 5, "")).devices.size(),
            1);
  EXPECT_EQ(
      SummaryOf(Worker(1, 0, 5, "", 0) + Worker(2, 0, 5, "", 1)).devices.size(),
      2);
}

TEST(SharedDeviceTest, AnUnobservedProcessMakesTheRestNotObserved) {
  const Summary summary =
      SummaryOf(Worker(1, 0, 10) + Worker(2, 20, 10) +
                "not_observed t=320..400us device=0 cause=yielded\n");
  // Of [320, 400) us the other's kernel covers nothing after 360.
  EXPECT_EQ(summary.devices[0].in(DeviceState::kNotObserved), 40'000);
  EXPECT_EQ(summary.devices[0].in(DeviceState::kCompute), 600'000);
}

TEST(SharedDeviceTest, OneProcessOfSeveralCanBeChosen) {
  const Summary summary =
      SummaryOf(Worker(1, 0, 10) + Worker(2, 20, 10), {.process = "node:2"});
  EXPECT_EQ(summary.processes.size(), 1);
  EXPECT_EQ(TotalsOf(summary).all.gpu_ns, 400'000);
  EXPECT_EQ(summary.outside.left_out.at("not_selected").gpu_ns, 400'000);
}

TEST(SharedDeviceTest, ADeviceCanBeChosenByNumberOrUuid) {
  const std::string text =
      Worker(1, 0, 5, "uuid=aabb", 0) + Worker(2, 0, 5, "uuid=ccdd", 1);
  for (const char* choice : {"1", "ccdd", "GPU-CC", "cc-dd"}) {
    const Summary summary = SummaryOf(text, {.device = choice});
    ASSERT_EQ(summary.devices.size(), 1) << choice;
    EXPECT_EQ(summary.devices[0].uuid, "ccdd");
  }
}

}  // namespace
}  // namespace dltap::analyzer
