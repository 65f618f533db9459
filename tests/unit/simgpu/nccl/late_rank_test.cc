// SPDX-License-Identifier: Apache-2.0
// A collective lasts, on every rank, until the last rank is there. The ranks
// share the machine's clock; one of them is late by at least kLateMs.
#include <sys/mman.h>
#include <time.h>

#include <array>
#include <atomic>
#include <new>

#include "tests/unit/simgpu/nccl/ranks.h"

namespace {

using namespace dltap::simgpu_test;  // NOLINT

constexpr float kLateMs = 30;
constexpr size_t kBytes = 1 << 20;

// What the ranks of a test see of each other.
struct Shared {
  std::atomic<bool> first_has_called{false};
  std::array<std::atomic<float>, 2> lasted_ms{};
};

Shared* NewShared() {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return new (memory) Shared;
}

// Rank 1 goes on kLateMs after rank 0 has called what it calls.
void ComeLate(const Rank& r, const Shared& shared) {
  if (r.rank() == 0) return;
  while (!shared.first_has_called) usleep(100);
  usleep(static_cast<useconds_t>(kLateMs * 1000));
}

cudaEvent_t RecordOn(cudaStream_t stream) {
  cudaEvent_t event = nullptr;
  EXPECT_EQ(cudaEventCreate(&event), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  return event;
}

float Elapsed(cudaEvent_t from, cudaEvent_t to) {
  float ms = -1;
  EXPECT_EQ(cudaEventSynchronize(to), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, from, to), cudaSuccess);
  return ms;
}

// The late rank's own kernel began last and does not wait.
void ExpectLate(const Shared& shared) {
  EXPECT_GE(shared.lasted_ms[0], kLateMs);
  EXPECT_GT(shared.lasted_ms[1], 0);
}

TEST(LateRankTest, TheKernelOfAnEarlyRankWaitsInside) {
  Shared* shared = NewShared();
  InTwoProcesses([&](Rank& r) {
    int* value = r.Device<int>({1});
    ComeLate(r, *shared);
    cudaEvent_t begin = RecordOn(r.stream());
    ncclAllReduce(value, value, 1, ncclInt, ncclSum, r.comm(), r.stream());
    cudaEvent_t end = RecordOn(r.stream());
    shared->first_has_called = true;
    shared->lasted_ms[r.rank()] = Elapsed(begin, end);
    r.ExpectHolds<int>(value, {2});
  });
  ExpectLate(*shared);
}

TEST(LateRankTest, WhatFollowsBeginsWhenItIsOver) {
  Shared* shared = NewShared();
  InTwoProcesses([&](Rank& r) {
    std::vector<char> zeroes(kBytes);
    char* value = r.Device<char>(zeroes);
    char* other = r.Device<char>(zeroes);
    cudaStream_t side = nullptr;
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    ComeLate(r, *shared);
    cudaEvent_t begin = RecordOn(r.stream());
    ncclAllReduce(value, value, kBytes, ncclInt8, ncclSum, r.comm(),
                  r.stream());
    cudaEvent_t met = RecordOn(r.stream());
    cudaMemsetAsync(value, 1, kBytes, r.stream());
    cudaEvent_t end = RecordOn(r.stream());
    // By an event, and by the rule of the legacy stream.
    cudaStreamWaitEvent(side, end, 0);
    cudaMemcpyAsync(other, value, kBytes, cudaMemcpyDeviceToDevice, side);
    cudaEvent_t side_end = RecordOn(side);
    cudaEvent_t legacy_end = RecordOn(nullptr);
    if (r.rank() == 0) {
      EXPECT_EQ(cudaEventQuery(end), cudaErrorNotReady);
      EXPECT_EQ(cudaStreamQuery(side), cudaErrorNotReady);
      EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
    }
    shared->first_has_called = true;
    // The handle is gone; its work is not.
    EXPECT_EQ(cudaStreamDestroy(side), cudaSuccess);
    EXPECT_NE(cudaStreamSynchronize(side), cudaSuccess);
    shared->lasted_ms[r.rank()] = Elapsed(begin, met);
    EXPECT_GT(Elapsed(met, end), 0);
    EXPECT_GT(Elapsed(end, side_end), 0);
    EXPECT_GE(Elapsed(end, legacy_end), 0);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    r.ExpectHolds<char>(other, std::vector<char>(kBytes, 1));
  });
  ExpectLate(*shared);
}

TEST(LateRankTest, CollectivesBehindOneAnotherKeepTheirOrder) {
  Shared* shared = NewShared();
  InTwoProcesses([&](Rank& r) {
    int* value = r.Device<int>({1});
    ComeLate(r, *shared);
    cudaEvent_t begin = RecordOn(r.stream());
    for (int i = 0; i < 3; ++i) {
      ncclAllReduce(value, value, 1, ncclInt, ncclSum, r.comm(), r.stream());
    }
    cudaEvent_t end = RecordOn(r.stream());
    shared->first_has_called = true;
    shared->lasted_ms[r.rank()] = Elapsed(begin, end);
    r.ExpectHolds<int>(value, {8});
  });
  ExpectLate(*shared);
}

TEST(LateRankTest, GraphsWaitToo) {
  Shared* shared = NewShared();
  InTwoProcesses([&](Rank& r) {
    int* value = r.Device<int>({1});
    int* copy = r.Device<int>({0});
    cudaEvent_t inside = nullptr;
    cudaEventCreate(&inside);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaStreamBeginCapture(r.stream(), cudaStreamCaptureModeThreadLocal);
    ncclAllReduce(value, value, 1, ncclInt, ncclSum, r.comm(), r.stream());
    cudaEventRecordWithFlags(inside, r.stream(), cudaEventRecordExternal);
    cudaMemcpyAsync(copy, value, sizeof(int), cudaMemcpyDeviceToDevice,
                    r.stream());
    cudaStreamEndCapture(r.stream(), &graph);
    r.Expect(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    ComeLate(r, *shared);
    cudaEvent_t begin = RecordOn(r.stream());
    cudaGraphLaunch(exec, r.stream());
    if (r.rank() == 0) {
      EXPECT_EQ(cudaEventQuery(inside), cudaErrorNotReady);
    }
    cudaGraphLaunch(exec, r.stream());
    cudaEvent_t end = RecordOn(r.stream());
    shared->first_has_called = true;
    // Not before its launches are over.
    EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
    EXPECT_NE(cudaGraphLaunch(exec, r.stream()), cudaSuccess);
    shared->lasted_ms[r.rank()] = Elapsed(begin, end);
    EXPECT_GT(Elapsed(begin, inside), 0);
    EXPECT_GT(Elapsed(inside, end), 0);
    r.ExpectHolds<int>(copy, {4});
  });
  ExpectLate(*shared);
}

}  // namespace

int main(int argc, char** argv) {
  // Read once, at the first call into a simulated library.
  setenv("DLTAP_SIM_GPU", "h100-sxm", 1);
  setenv("DLTAP_SIM_QUIET", "1", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
