// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/memory/memory_owners.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/metrics/figures/figures.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

constexpr int64_t kKib = 1024;

Summary SummaryOf(const std::string& text) {
  const TraceModel model = TraceFromText(text);
  return Summarise(model, Attribute(model));
}

int64_t OwnedBy(const DeviceMemory& device, MemoryOwner owner) {
  return device.owners->bytes[static_cast<size_t>(owner)];
}

TEST(SharesTest, ByteWithTwoOwnersHasTheFirst) {
  const DeviceId device(0);
  const std::vector<OwnedRange> ranges = {
      {100, 100, 0, 50, MemoryOwner::kDynamic, device},
      {150, 100, 10, 40, MemoryOwner::kWeights, device},
      {150, 10, 20, 30, MemoryOwner::kWeights, device},
      {900, 10, 0, 50, MemoryOwner::kUnknown, device},
      {100, 999, 0, 50, MemoryOwner::kWeights, DeviceId(1)}};
  EXPECT_EQ(SharesOf(RangesAt(ranges, device, 25), {}),
            (OwnedBytes{100, 0, 0, 0, 0, 50, 0}));
  EXPECT_EQ(SharesOf(RangesAt(ranges, device, 45), {}),
            (OwnedBytes{0, 0, 0, 0, 0, 100, 0}));
}

TEST(SharesTest, BytesThatAreNotHeldHaveNoOwner) {
  const DeviceId device(0);
  const std::vector<OwnedRange> ranges = {
      {100, 100, 0, 50, MemoryOwner::kDynamic, device}};
  MemoryBlock block{};
  block.address = 150;
  block.bytes = 200;
  EXPECT_EQ(SharesOf(ranges, {block}), (OwnedBytes{0, 0, 0, 0, 0, 50, 0}));
}

std::string Work(int at_us, int thread, const std::string& call,
                 const std::string& activity) {
  return absl::StrCat("call t=", at_us, "..", at_us + 2, "us thread=", thread,
                      " ", call, "\nlaunchapi t=", at_us, "..", at_us + 1,
                      "us thread=", thread, " corr=", at_us, " ext=", at_us,
                      "us\n", activity, " t=", at_us + 3, "..", at_us + 6,
                      "us device=0 stream=7 corr=", at_us, " ");
}

// y = W x; dx = W dy; dW = x dy.
std::string StepFrom(int at_us) {
  const std::string kernel = "name=ampere_sgemm_128x64_nn\n";
  return Work(at_us, 0, "cudaMemcpyAsync dst=0x10080000 count=131072 kind=1",
              "memcpy") +
         "kind=htod bytes=131072\n" +
         Work(at_us + 10, 0,
              "cublasSgemm_v2 A=0x10000000 B=0x10080000 C=0x100a0000 m=256 "
              "n=64 k=512",
              "kernel") +
         kernel +
         Work(at_us + 20, 1,
              "cublasSgemm_v2 A=0x10000000 B=0x100b0000 C=0x100c0000 m=512 "
              "n=64 k=256",
              "kernel") +
         kernel +
         Work(at_us + 30, 1,
              "cublasSgemm_v2 A=0x10080000 B=0x100b0000 C=0x100e0000 m=512 "
              "n=256 k=64",
              "kernel") +
         kernel + Work(at_us + 40, 0, "cudaLaunchKernel", "kernel") +
         "name=multi_tensor_apply_kernel\n";
}

// Six such steps from 100 us on, and 4 MiB that hold it all.
std::string SixSteps() {
  std::string text =
      "device 0 name=X memory=5242880\nthread 0 tid=1 name=python\n"
      "thread 1 tid=2 name=pt_autograd_0\n"
      "call t=0..1us thread=0 cudaMalloc devPtr=0x10000000 size=4194304\n";
  for (int step = 0; step < 6; ++step) {
    absl::StrAppend(&text, StepFrom(100 + 100 * step),
                    "range t=", 100 + 100 * step, "..", 199 + 100 * step,
                    "us thread=0 kind=nvtx name=\"step ", step, "\"\n");
  }
  return text;
}

void ExpectOwnersWhileGradientsAreMade(const OwnedBytes& owned, int64_t held) {
  EXPECT_EQ(owned, (OwnedBytes{512 * kKib, 512 * kKib, 128 * kKib, 0, 0,
                               64 * kKib, held - 1216 * kKib}));
}

// The example of METRICS.md.
TEST(OperandOwnersTest, OperandsTellTheirOwnersByWhoReadsAndWritesThem) {
  const Summary summary =
      SummaryOf(SixSteps() +
                "call t=430500..431000ns thread=0 cudaMalloc devPtr=0x20000000 "
                "size=1048576\n");
  ASSERT_EQ(summary.memory.devices.size(), 1u);
  const DeviceMemory& device = summary.memory.devices[0];
  ASSERT_TRUE(device.owners);
  EXPECT_EQ(device.owners->at_ns, 431'000);
  EXPECT_EQ(device.held.peak_step_use, StepUse::kUsed);
  ExpectOwnersWhileGradientsAreMade(device.owners->bytes, 5120 * kKib);
}

TEST(OperandOwnersTest, PeakOutsideOfStepsHasOwnersToo) {
  const Summary summary =
      SummaryOf(SixSteps() + StepFrom(20) +
                "call t=50500..51000ns thread=0 cudaMalloc devPtr=0x20000000 "
                "size=1048576\n"
                "call t=70..71us thread=0 cudaFree devPtr=0x20000000\n");
  const DeviceMemory& device = summary.memory.devices[0];
  ASSERT_TRUE(device.owners);
  EXPECT_EQ(device.owners->at_ns, 51'000);
  EXPECT_FALSE(device.held.peak_step);
  ExpectOwnersWhileGradientsAreMade(device.owners->bytes, 5120 * kKib);
}

TEST(OperandOwnersTest, BeforeAnyCallTouchesItMemoryHasNoKnownOwner) {
  const Summary summary = SummaryOf(SixSteps());
  const DeviceMemory& device = summary.memory.devices[0];
  ASSERT_TRUE(device.owners);
  EXPECT_EQ(device.owners->at_ns, 1'000);
  EXPECT_EQ(OwnedBy(device, MemoryOwner::kUnknown), 4096 * kKib);
}

// An allocator that keeps what it took holds its most before all is in use.
TEST(OperandOwnersTest, StepTellsWhatIsInUseWhereTheAllocatorKeepsMemory) {
  const Summary summary = SummaryOf(SixSteps());
  const DeviceMemory& device = summary.memory.devices[0];
  ASSERT_TRUE(device.step_owners);
  EXPECT_GE(device.step_owners->at_ns, 630'000);  // dW is made from there on
  EXPECT_LT(device.step_owners->at_ns, 633'000);
  OwnedBytes owned = device.step_owners->bytes;
  owned.back() = 4096 * kKib - 1216 * kKib;
  ExpectOwnersWhileGradientsAreMade(owned, 4096 * kKib);
}

TEST(OperandOwnersTest, StepWhoseHostRunsAheadTellsWhatIsInUse) {
  std::string text = SixSteps();
  const std::string end = "..699us";
  text.replace(text.rfind(end), end.size(), "..90000us");
  const Summary summary = SummaryOf(text);
  const DeviceMemory& device = summary.memory.devices[0];
  ASSERT_TRUE(device.step_owners);
  EXPECT_LT(device.step_owners->at_ns, 650'000);
  EXPECT_EQ(device.step_owners->bytes,
            (OwnedBytes{512 * kKib, 512 * kKib, 128 * kKib, 0, 0, 64 * kKib}));
}

TEST(OperandOwnersTest, RefusedRequestTellsWhoHeldWhatThen) {
  const Summary summary =
      SummaryOf(SixSteps() +
                "call t=430500..431000ns thread=0 cudaMalloc failed devPtr=0 "
                "size=8388608\n");
  const DeviceMemory& device = summary.memory.devices[0];
  ASSERT_EQ(device.failures.size(), 1u);
  const MemoryFailure& failure = device.failures[0];
  ASSERT_TRUE(failure.owners);
  ExpectOwnersWhileGradientsAreMade(failure.owners->bytes, 4096 * kKib);
  EXPECT_EQ(failure.free_most_bytes, 1024 * kKib);
  ASSERT_EQ(failure.blocks.size(), 1u);
  EXPECT_EQ(failure.blocks[0].block_bytes, 4096 * kKib);
  EXPECT_EQ(failure.blocks[0].count, 1u);
  EXPECT_FALSE(failure.granted_later);
}

// W comes from the host, y = W x, and there is no memory for what follows.
TEST(OperandOwnersTest, WithoutStepsWeightsAreWhatTheHostGave) {
  const std::string copy = "kind=htod bytes=524288\n";
  const Summary summary = SummaryOf(
      "device 0 name=X\nthread 0 tid=1 name=python\n"
      "call t=0..1us thread=0 cudaMalloc devPtr=0x10000000 size=4194304\n" +
      Work(10, 0, "cudaMemcpyAsync dst=0x10000000 count=524288 kind=1",
           "memcpy") +
      copy +
      Work(20, 0,
           "cublasSgemm_v2 A=0x10000000 B=0x10080000 C=0x100a0000 m=256 "
           "n=64 k=512",
           "kernel") +
      "name=ampere_sgemm_128x64_nn\n"
      "call t=30..31us thread=0 cudaMalloc failed devPtr=0 size=8388608\n");
  const auto& failures = summary.memory.devices[0].failures;
  ASSERT_EQ(failures.size(), 1u);
  ASSERT_TRUE(failures[0].owners);
  EXPECT_EQ(failures[0].owners->bytes,
            (OwnedBytes{512 * kKib, 0, 0, 0, 0, 0, 3584 * kKib}));
}

TEST(TensorOwnersTest, TensorsTellTheirOwnersByWhatTheyOutlive) {
  const Summary summary = SummaryOf(
      "format kineto\n"
      "thread 0 tid=1 name=python\nthread 1 tid=2 name=autograd\n"
      "kernel t=0..1us device=0 stream=7 name=k\n"
      "memory t=1us device=0 address=0x100 bytes=1024 allocated=1024 "
      "reserved=8192\n"
      "range t=10..100us thread=0 kind=step name=ProfilerStep#0\n"
      "range t=20..25us thread=0 kind=op name=aten::mm\n"
      "memory t=21us thread=0 device=0 address=0x1000 bytes=2048 "
      "allocated=3072 reserved=8192\n"
      "memory t=22us thread=0 device=0 address=0x2000 bytes=256 "
      "allocated=3328 reserved=8192\n"
      "memory t=24us thread=0 device=0 address=0x2000 bytes=-256 "
      "allocated=3072 reserved=8192\n"
      "kernel t=26..27us device=0 stream=7 name=gemm\n"
      "range t=50..70us thread=1 kind=op backward "
      "name=\"autograd::engine::evaluate_function: MmBackward0\"\n"
      "memory t=55us thread=1 device=0 address=0x3000 bytes=1024 "
      "allocated=4096 reserved=8192\n"
      "memory t=56us thread=1 device=0 address=0x4000 bytes=512 "
      "allocated=4608 reserved=8192\n"
      "memory t=60us thread=1 device=0 address=0x1000 bytes=-2048 "
      "allocated=2560 reserved=8192\n"
      "range t=71..72us thread=1 kind=op backward "
      "name=\"autograd::engine::evaluate_function: Accumulate\"\n"
      "memory t=71500ns thread=1 device=0 address=0x4000 bytes=-512 "
      "allocated=2048 reserved=8192\n"
      "range t=80..90us thread=0 kind=user name=Optimizer.step#SGD.step\n"
      "memory t=82us thread=0 device=0 address=0x5000 bytes=1024 "
      "allocated=3072 reserved=8192\n"
      "range t=100..200us thread=0 kind=step name=ProfilerStep#1\n"
      "memory t=110us thread=0 device=0 address=0x3000 bytes=-1024 "
      "allocated=2048 reserved=8192\n"
      "kernel t=120..121us device=0 stream=7 name=gemm\n"
      "memory t=190us thread=0 device=0 address=0x100 bytes=-1024 "
      "allocated=1024 reserved=8192\n");
  ASSERT_EQ(summary.memory.devices.size(), 1u);
  const DeviceMemory& device = summary.memory.devices[0];
  EXPECT_EQ(device.tensors->peak_bytes, 4608);
  ASSERT_TRUE(device.owners);
  EXPECT_EQ(device.owners->at_ns, 56'000);
  EXPECT_EQ(OwnedBy(device, MemoryOwner::kFeatureMaps), 2048);
  EXPECT_EQ(OwnedBy(device, MemoryOwner::kGradients), 1024);
  EXPECT_EQ(OwnedBy(device, MemoryOwner::kDynamic), 512);
  EXPECT_EQ(OwnedBy(device, MemoryOwner::kWeights), 1024);
  EXPECT_EQ(OwnedBy(device, MemoryOwner::kUnknown), 0);
  const Figures figures = FiguresOf(summary);
  EXPECT_EQ(figures.memory.devices[0].owned_of_bytes, 4608);
  EXPECT_EQ(figures.memory.devices[0].owner_known_share, 1);
}

}  // namespace
}  // namespace dltap::analyzer
