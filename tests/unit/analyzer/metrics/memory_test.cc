// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/memory/memory.h"

#include <gtest/gtest.h>

#include <string>

#include "analyzer/metrics/figures/figures.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

constexpr int64_t kMib = 1 << 20;

MemorySummary MemoryOf(const std::string& text, Selection selection = {}) {
  const TraceModel model = TraceFromText(text);
  return Summarise(model, Attribute(model), selection).memory;
}

const std::string kDevice = "device 0 name=X memory=85899345920\n";

// Two blocks are held together from 20 to 30 us.
const std::string kTwoBlocks =
    kDevice +
    "call t=0..10us thread=0 cudaMalloc devPtr=0x10000000 size=20971520\n"
    "call t=12..20us thread=0 cudaMalloc devPtr=0x20000000 size=2097152\n"
    "call t=30..40us thread=0 cudaFree devPtr=0x10000000\n"
    "call t=50..60us thread=0 cudaMalloc devPtr=0x10000000 size=4194304\n";

TEST(MemoryTest, PeakIsWhatIsHeldAtOneTime) {
  const MemorySummary memory = MemoryOf(kTwoBlocks);
  ASSERT_EQ(memory.devices.size(), 1u);
  const MemoryLevel& held = memory.devices[0].held;
  EXPECT_EQ(held.peak_bytes, 22 * kMib);
  EXPECT_EQ(held.peak_at_ns, 20'000);
  EXPECT_EQ(held.end_bytes, 6 * kMib);
  EXPECT_EQ(held.taken, 3u);
  EXPECT_EQ(held.given_back, 1u);
  EXPECT_FALSE(memory.devices[0].is_least);
  EXPECT_EQ(memory.devices[0].capacity_bytes, 80 * 1024 * kMib);
}

TEST(MemoryTest, WindowBeginsWithWhatIsHeldThen) {
  Selection selection;
  selection.window = Interval{25'000, 70'000};
  const MemorySummary memory = MemoryOf(kTwoBlocks, selection);
  ASSERT_EQ(memory.devices.size(), 1u);
  EXPECT_EQ(memory.devices[0].held.peak_bytes, 22 * kMib);
  EXPECT_EQ(memory.devices[0].held.peak_at_ns, 25'000);
}

TEST(MemoryTest, AllocationInsideOfAnotherIsItsPart) {
  const MemorySummary memory = MemoryOf(
      kDevice +
      "call t=0..10us thread=0 cudaMalloc devPtr=0x10000000 size=2097152\n"
      "call t=2..8us thread=0 depth=1 cuMemAlloc_v2 dptr=0x10000000 "
      "bytesize=2097152\n");
  ASSERT_EQ(memory.devices.size(), 1u);
  EXPECT_EQ(memory.devices[0].held.peak_bytes, 2 * kMib);
}

TEST(MemoryTest, RefusedRequestTellsWhatWasHeld) {
  const MemorySummary memory =
      MemoryOf(kTwoBlocks +
               "call t=22..25us thread=0 cudaMalloc failed devPtr=0 "
               "size=85899345920\n"
               "call t=26..27us thread=0 cudaMemGetInfo free=1048576 "
               "total=85899345920\n"
               "call t=41..42us thread=0 cudaMemGetInfo free=2097152 "
               "total=85899345920\n");
  ASSERT_EQ(memory.devices.size(), 1u);
  ASSERT_EQ(memory.devices[0].failures.size(), 1u);
  const MemoryFailure& failure = memory.devices[0].failures[0];
  EXPECT_EQ(failure.at_ns, 25'000);
  EXPECT_EQ(failure.bytes, 80 * 1024 * kMib);
  EXPECT_EQ(failure.held_bytes, 22 * kMib);
  EXPECT_EQ(failure.function, "cudaMalloc");
  EXPECT_EQ(failure.free_bytes, kMib);
  EXPECT_EQ(failure.free_most_bytes, (80 * 1024 - 22) * kMib);
  ASSERT_EQ(failure.blocks.size(), 2u);
  EXPECT_EQ(failure.blocks[0].block_bytes, 20 * kMib);
  EXPECT_EQ(memory.devices[0].held.peak_bytes, 22 * kMib);
}

TEST(MemoryTest, RefusedRequestThatIsGrantedAtOnceIsNoFailureOfTheProgram) {
  const MemorySummary memory = MemoryOf(
      kTwoBlocks +
      "call t=22..25us thread=0 cudaMalloc failed devPtr=0 size=8388608\n"
      "call t=42..43us thread=0 cudaMalloc devPtr=0x30000000 size=8388608\n"
      "call t=70..71us thread=0 cudaMalloc failed devPtr=0 size=8388608\n"
      "call t=72..73us thread=0 cudaMalloc devPtr=0x40000000 size=512\n");
  ASSERT_EQ(memory.devices.size(), 1u);
  const auto& failures = memory.devices[0].failures;
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_TRUE(failures[0].granted_later);
  EXPECT_TRUE(failures[0].blocks.empty());
  EXPECT_FALSE(failures[1].granted_later);
  ASSERT_EQ(failures[1].blocks.size(), 3u);
  EXPECT_EQ(failures[1].blocks[0].block_bytes, 8 * kMib);
}

TEST(MemoryTest, WhatAPoolKeepsBeyondWhatItGivesIsNotKnown) {
  const MemorySummary memory = MemoryOf(
      kDevice +
      "call t=0..1us thread=0 cudaMallocAsync devPtr=0x10000000 size=4096\n");
  ASSERT_EQ(memory.devices.size(), 1u);
  EXPECT_EQ(memory.devices[0].held.peak_bytes, 4096);
  EXPECT_TRUE(memory.devices[0].is_least);
}

TEST(MemoryTest, RefusedRequestOfAFrameworkTellsWhatItHoldsForNoTensor) {
  const MemorySummary memory = MemoryOf(
      "kernel t=0..1us device=0 stream=7 name=k\n"
      "memory t=5us device=0 address=0x1000 bytes=512 allocated=1536 "
      "reserved=2097152\n"
      "memory t=6us device=0 address=0 bytes=4194304 allocated=1536 "
      "reserved=2097152 refused\n");
  ASSERT_EQ(memory.devices.size(), 1u);
  ASSERT_EQ(memory.devices[0].failures.size(), 1u);
  const MemoryFailure& failure = memory.devices[0].failures[0];
  EXPECT_EQ(failure.bytes, 4 * kMib);
  EXPECT_EQ(failure.held_bytes, 2 * kMib);
  EXPECT_EQ(failure.tensor_bytes, 1536);
  EXPECT_EQ(failure.unused_bytes, 2 * kMib - 1536);
  EXPECT_EQ(memory.devices[0].tensors->peak_bytes, 1536);
  EXPECT_EQ(memory.devices[0].tensors->taken, 1u);
}

TEST(MemoryTest, ImportedBlocksOfTheDriverAreHeld) {
  const MemorySummary memory = MemoryOf(
      "kernel t=0..1us device=0 stream=7 name=k\n"
      "memory t=5us device=0 address=0x1000 bytes=4096\n"
      "memory t=6us device=0 address=0x9000 bytes=64 kind=pinned\n"
      "memory t=7us device=0 address=0x1000 bytes=8192\n"
      "memory t=8us device=0 address=0x1000 bytes=-8192\n");
  ASSERT_EQ(memory.devices.size(), 1u);
  EXPECT_EQ(memory.devices[0].held.peak_bytes, 8192);
  EXPECT_EQ(memory.devices[0].held.end_bytes, 0);
  EXPECT_FALSE(memory.devices[0].is_least);
  ASSERT_EQ(memory.pinned.size(), 1u);
  EXPECT_EQ(memory.pinned[0].level.peak_bytes, 64);
}

TEST(MemoryTest, FreeOfWhatWasNotSeenMakesThePeakALeastOne) {
  const MemorySummary memory = MemoryOf(
      kTwoBlocks + "call t=70..80us thread=0 cudaFree devPtr=0x40000000\n");
  ASSERT_EQ(memory.devices.size(), 1u);
  EXPECT_TRUE(memory.devices[0].is_least);
}

TEST(MemoryTest, FreeOfNothingIsNothing) {
  const MemorySummary memory =
      MemoryOf(kTwoBlocks + "call t=70..80us thread=0 cudaFree devPtr=0\n");
  EXPECT_FALSE(memory.devices[0].is_least);
}

TEST(MemoryTest, PhysicalMemoryIsHeldUntilReleasedAndUnmapped) {
  const MemorySummary memory = MemoryOf(
      kDevice +
      "call t=0..10us thread=0 cuMemCreate handle=77 size=2097152\n"
      "call t=10..12us thread=0 cuMemMap ptr=0x10000000 handle=77 "
      "size=2097152\n"
      "call t=12..14us thread=0 cuMemRelease handle=77\n"
      "call t=20..30us thread=0 cuMemCreate handle=77 size=4194304\n"
      "call t=30..32us thread=0 cuMemUnmap ptr=0x10000000 size=2097152\n"
      "call t=40..50us thread=0 cuMemCreate handle=78 size=4194304\n");
  ASSERT_EQ(memory.devices.size(), 1u);
  const MemoryLevel& held = memory.devices[0].held;
  EXPECT_EQ(held.peak_bytes, 8 * kMib);
  EXPECT_EQ(held.peak_at_ns, 50'000);
  EXPECT_EQ(held.end_bytes, 8 * kMib);
}

TEST(MemoryTest, PinnedAndManagedMemoryIsNotHeldOnTheDevice) {
  const MemorySummary memory = MemoryOf(
      kTwoBlocks +
      "call t=60..61us thread=0 cudaMallocManaged devPtr=0x50000000 "
      "size=1048576\n"
      "call t=62..63us thread=0 cudaHostAlloc pHost=0x60000000 size=524288\n"
      "call t=64..65us thread=0 cudaFreeHost ptr=0x60000000\n");
  ASSERT_EQ(memory.devices.size(), 1u);
  EXPECT_EQ(memory.devices[0].held.peak_bytes, 22 * kMib);
  EXPECT_EQ(memory.devices[0].managed->peak_bytes, kMib);
  ASSERT_EQ(memory.pinned.size(), 1u);
  EXPECT_EQ(memory.pinned[0].level.peak_bytes, kMib / 2);
  EXPECT_EQ(memory.pinned[0].level.end_bytes, 0);
}

TEST(MemoryTest, WithoutAddressesNothingIsClaimed) {
  const MemorySummary memory = MemoryOf(
      kDevice + "call t=0..10us thread=0 cudaMalloc devPtr=0 size=20971520\n");
  EXPECT_TRUE(memory.devices.empty());
  EXPECT_EQ(memory.without_addresses, 1u);
}

TEST(MemoryTest, BlockIsOnTheDeviceOfTheWorkThatUsesIt) {
  const MemorySummary memory = MemoryOf(
      "device 0\ndevice 1\n"
      "call t=0..1us thread=0 cudaMalloc devPtr=0x10000000 size=2097152\n"
      "call t=2..3us thread=0 cudaMalloc devPtr=0x20000000 size=4194304\n"
      "call t=10..11us thread=0 cudaMemsetAsync devPtr=0x10000400 count=64\n"
      "launchapi t=10..11us thread=0 corr=1 ext=10us\n"
      "memset t=20..21us device=1 stream=7 corr=1 bytes=64\n"
      "call t=12..13us thread=0 cudaMemsetAsync devPtr=0x20000000 count=64\n"
      "launchapi t=12..13us thread=0 corr=2 ext=12us\n"
      "memset t=22..23us device=0 stream=8 corr=2 bytes=64\n");
  ASSERT_EQ(memory.devices.size(), 2u);
  for (const DeviceMemory& device : memory.devices) {
    EXPECT_EQ(device.held.peak_bytes, (*device.ordinal == 1 ? 2 : 4) * kMib);
  }
}

TEST(MemoryTest, ProcessesOnOneGpuAddUp) {
  const std::string uuid = "device 0 uuid=aa\n";
  const std::string kernel = "kernel t=1..2us device=0 stream=7 name=k\n";
  const MemorySummary memory = MemoryOf(
      "process pid=1 host=h\n" + uuid + kernel +
      "call t=0..10us thread=0 cudaMalloc devPtr=0x10000000 size=2097152\n"
      "call t=30..40us thread=0 cudaFree devPtr=0x10000000\n"
      "process pid=2 host=h\n" +
      uuid + kernel +
      "call t=0..20us thread=0 cudaMalloc devPtr=0x10000000 size=4194304\n");
  ASSERT_EQ(memory.devices.size(), 1u);
  EXPECT_EQ(memory.devices[0].processes.size(), 2u);
  EXPECT_EQ(memory.devices[0].held.peak_bytes, 6 * kMib);
  EXPECT_EQ(memory.devices[0].held.peak_at_ns, 20'000);
}

TEST(MemoryTest, TotalsOfAFrameworkCountWhatWasThereBefore) {
  const MemorySummary memory = MemoryOf(
      "kernel t=0..1us device=0 stream=7 name=k\n"
      "memory t=5us device=0 address=0x1000 bytes=512 allocated=1536 "
      "reserved=2097152\n"
      "memory t=7us device=0 address=0x1000 bytes=-512 allocated=1024 "
      "reserved=2097152\n");
  ASSERT_EQ(memory.devices.size(), 1u);
  EXPECT_EQ(memory.devices[0].held.peak_bytes, 2 * kMib);
  EXPECT_EQ(memory.devices[0].tensors->peak_bytes, 1536);
  EXPECT_EQ(memory.devices[0].tensors->end_bytes, 1024);
}

TEST(MemoryTest, GrowthIsTheMeanFromStepEndToStepEnd) {
  MemorySummary memory;
  DeviceMemory& device = memory.devices.emplace_back();
  device.held.step_ends_bytes = {{10, 10, 40, 40, 70}};
  const MemoryFigures figures = MemoryFiguresOf(memory);
  ASSERT_TRUE(figures.devices[0].growth);
  EXPECT_EQ(figures.devices[0].growth->step_bytes, 15);
  EXPECT_FALSE(figures.devices[0].growth->ci95_bytes);
}

}  // namespace
}  // namespace dltap::analyzer
