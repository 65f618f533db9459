// SPDX-License-Identifier: Apache-2.0
// The simulated NCCL between two real processes: what every rank then reads.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <nccl.h>

#include <cstdint>
#include <cstdlib>

#include "tests/unit/simgpu/nccl/ranks.h"

namespace {

using namespace dltap::simgpu_test;  // NOLINT

TEST(NcclTest, AllReduceSumsAndAverages) {
  InTwoProcesses([](Rank& r) {
    const float base = r.rank() == 0 ? 1 : 10;
    float* values = r.Device<float>({base, base + 1, base + 2});
    float* output = r.Device<float>({0, 0, 0});
    ncclAllReduce(values, output, 3, ncclFloat, ncclSum, r.comm(), r.stream());
    r.ExpectHolds<float>(output, {11, 13, 15});
    ncclAllReduce(values, values, 3, ncclFloat, ncclAvg, r.comm(), r.stream());
    r.ExpectHolds<float>(values, {5.5, 6.5, 7.5});
    int64_t* counts = r.Device<int64_t>({r.rank() + 1});
    ncclAllReduce(counts, counts, 1, ncclInt64, ncclMax, r.comm(), r.stream());
    r.ExpectHolds<int64_t>(counts, {2});
  });
}

// A sum of what nobody computed is nothing that a program may decide by: reads
// of at most 16 bytes give zeroes, as they would without the collective.
TEST(NcclTest, WhatNobodyComputedIsNotKnownAfterACollective) {
  InTwoProcesses([](Rank& r) {
    constexpr size_t kMany = 4096;
    // Numbers that nobody knows: what lies there was taken out of rows.
    const auto stale = [&](size_t count) {
      float* rows = r.Device<float>(std::vector<float>(2 * count, 5));
      float* values = r.Device<float>(std::vector<float>(count, 5));
      constexpr size_t kFloat = sizeof(float);
      r.Expect(cudaMemcpy2D(values, kFloat, rows, 2 * kFloat, kFloat, count,
                            cudaMemcpyDeviceToDevice) == cudaSuccess);
      return values;
    };
    float* gradients = stale(kMany);
    ncclAllReduce(gradients, gradients, kMany, ncclFloat, ncclSum, r.comm(),
                  r.stream());
    r.ExpectHolds<float>(gradients, {0, 0});
    float* flag = stale(2);
    ncclAllReduce(flag, flag, 2, ncclFloat, ncclMax, r.comm(), r.stream());
    r.ExpectHolds<float>(flag, {0, 0});
    // Each rank's part is as fresh as its own.
    float* own = r.rank() == 0 ? stale(2) : r.Device<float>({7, 8});
    float* all = r.Device<float>({1, 1, 1, 1});
    ncclAllGather(own, all, 2, ncclFloat, r.comm(), r.stream());
    r.ExpectHolds<float>(all, {0, 0});
    r.ExpectHolds<float>(all + 2, {7, 8});
    float* parts = r.Device<float>({1, 2});
    ncclAllReduce(parts, parts, 2, ncclFloat, ncclSum, r.comm(), r.stream());
    r.ExpectHolds<float>(parts, {2, 4});
  });
}

TEST(NcclTest, SixteenBitTypesAreNumbersToo) {
  InTwoProcesses([](Rank& r) {
    // 1.0 and 2.0 as bfloat16 and as binary16; the sum is 3.0.
    uint16_t* bf16 =
        r.Device<uint16_t>({uint16_t(r.rank() == 0 ? 0x3f80 : 0x4000)});
    ncclAllReduce(bf16, bf16, 1, ncclBfloat16, ncclSum, r.comm(), r.stream());
    r.ExpectHolds<uint16_t>(bf16, {0x4040});
    uint16_t* f16 =
        r.Device<uint16_t>({uint16_t(r.rank() == 0 ? 0x3c00 : 0x4000)});
    ncclAllReduce(f16, f16, 1, ncclFloat16, ncclSum, r.comm(), r.stream());
    r.ExpectHolds<uint16_t>(f16, {0x4200});
  });
}

TEST(NcclTest, GatherScatterBroadcast) {
  InTwoProcesses([](Rank& r) {
    const int own = 10 * (r.rank() + 1);
    int* values = r.Device<int>({own, own + 1});
    int* all = r.Device<int>({0, 0, 0, 0});
    ncclAllGather(values, all, 2, ncclInt, r.comm(), r.stream());
    r.ExpectHolds<int>(all, {10, 11, 20, 21});
    int* part = r.Device<int>({0});
    ncclReduceScatter(values, part, 1, ncclInt, ncclSum, r.comm(), r.stream());
    r.ExpectHolds<int>(part, {r.rank() == 0 ? 30 : 32});
    ncclBroadcast(values, values, 2, ncclInt, 1, r.comm(), r.stream());
    r.ExpectHolds<int>(values, {20, 21});
    int* root = r.Device<int>({r.rank() + 1});
    ncclReduce(root, root, 1, ncclInt, ncclProd, 0, r.comm(), r.stream());
    r.ExpectHolds<int>(root, {2});  // the other rank's is its own 2
  });
}

TEST(NcclTest, ExchangeInAGroupDoesNotWaitForItself) {
  InTwoProcesses([](Rank& r) {
    const int peer = 1 - r.rank();
    int* sent = r.Device<int>({r.rank() + 7});
    int* received = r.Device<int>({0});
    ncclGroupStart();
    ncclRecv(received, 1, ncclInt, peer, r.comm(), r.stream());
    ncclSend(sent, 1, ncclInt, peer, r.comm(), r.stream());
    r.Expect(ncclGroupEnd() == ncclSuccess);
    r.ExpectHolds<int>(received, {peer + 7});
  });
}

TEST(NcclTest, SplitMakesCommunicatorsOfTheirOwn) {
  InTwoProcesses([](Rank& r) {
    ncclComm_t alone = nullptr;
    r.Expect(ncclCommSplit(r.comm(), r.rank(), 0, &alone, nullptr) ==
             ncclSuccess);
    int count = 0;
    ncclCommCount(alone, &count);
    r.Expect(count == 1);
    ncclComm_t reversed = nullptr;
    ncclCommSplit(r.comm(), 5, -r.rank(), &reversed, nullptr);
    int rank = -1;
    ncclCommUserRank(reversed, &rank);
    r.Expect(rank == 1 - r.rank());
    int* value = r.Device<int>({r.rank()});
    ncclBroadcast(value, value, 1, ncclInt, 0, reversed, r.stream());
    r.ExpectHolds<int>(value, {1});
  });
}

TEST(NcclTest, ACapturedCollectiveExchangesAtEachReplay) {
  InTwoProcesses([](Rank& r) {
    int* value = r.Device<int>({r.rank() + 1});
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(r.stream(), cudaStreamCaptureModeThreadLocal);
    ncclAllReduce(value, value, 1, ncclInt, ncclSum, r.comm(), r.stream());
    cudaStreamEndCapture(r.stream(), &graph);
    r.Expect(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    cudaGraphLaunch(exec, r.stream());
    r.ExpectHolds<int>(value, {3});
    cudaGraphLaunch(exec, r.stream());
    r.ExpectHolds<int>(value, {6});
  });
}

template <typename T>
void ExpectReduced(Rank& r, ncclDataType_t type, ncclRedOp_t op, T first,
                   T second, T wanted) {
  T* value = r.Device<T>({r.rank() == 0 ? first : second});
  r.Expect(ncclAllReduce(value, value, 1, type, op, r.comm(), r.stream()) ==
           ncclSuccess);
  r.ExpectHolds<T>(value, {wanted});
}

TEST(NcclTest, EveryTypeIsAdded) {
  InTwoProcesses([](Rank& r) {
    ExpectReduced<int8_t>(r, ncclInt8, ncclSum, 100, -30, 70);
    ExpectReduced<uint8_t>(r, ncclUint8, ncclSum, 200, 50, 250);
    ExpectReduced<int32_t>(r, ncclInt32, ncclSum, -5, 3, -2);
    ExpectReduced<uint32_t>(r, ncclUint32, ncclSum, 4'000'000'000u, 7,
                            4'000'000'007u);
    ExpectReduced<int64_t>(r, ncclInt64, ncclSum, 1ll << 40, 1,
                           (1ll << 40) + 1);
    ExpectReduced<uint64_t>(r, ncclUint64, ncclSum, 1ull << 63, 1,
                            (1ull << 63) + 1);
    ExpectReduced<float>(r, ncclFloat, ncclSum, 0.5f, 0.25f, 0.75f);
    ExpectReduced<double>(r, ncclDouble, ncclSum, 0.5, 0.25, 0.75);
    // E4M3: 1.0 is 0x38, 1.5 is 0x3c, 2.5 is 0x42; 448 (0x7e) is the largest.
    ExpectReduced<uint8_t>(r, ncclFloat8e4m3, ncclSum, 0x38, 0x3c, 0x42);
    ExpectReduced<uint8_t>(r, ncclFloat8e4m3, ncclSum, 0x7e, 0x7e, 0x7e);
    // 16 + 1 lies between 16 and 18: to the even mantissa, 16 (0x58).
    ExpectReduced<uint8_t>(r, ncclFloat8e4m3, ncclSum, 0x58, 0x38, 0x58);
    // The smallest, 2^-9, twice.
    ExpectReduced<uint8_t>(r, ncclFloat8e4m3, ncclSum, 0x01, 0x01, 0x02);
    // E5M2: 1.0 is 0x3c, 1.5 is 0x3e, 2.5 is 0x41; -1 + 1 is 0.
    ExpectReduced<uint8_t>(r, ncclFloat8e5m2, ncclSum, 0x3c, 0x3e, 0x41);
    ExpectReduced<uint8_t>(r, ncclFloat8e5m2, ncclSum, 0xbc, 0x3c, 0x00);
  });
}

TEST(NcclTest, EveryOperatorReduces) {
  InTwoProcesses([](Rank& r) {
    ExpectReduced<int32_t>(r, ncclInt32, ncclProd, 6, 7, 42);
    ExpectReduced<int32_t>(r, ncclInt32, ncclMax, -6, -7, -6);
    ExpectReduced<int32_t>(r, ncclInt32, ncclMin, -6, -7, -7);
    ExpectReduced<int32_t>(r, ncclInt32, ncclAvg, 10, 5, 7);
    ExpectReduced<float>(r, ncclFloat, ncclAvg, 10, 5, 7.5f);
    // Each rank's own scalar counts: 10 x 3 + 5 x 4.
    const float scalar = r.rank() == 0 ? 3 : 4;
    ncclRedOp_t scaled;
    r.Expect(ncclRedOpCreatePreMulSum(&scaled, const_cast<float*>(&scalar),
                                      ncclFloat, ncclScalarHostImmediate,
                                      r.comm()) == ncclSuccess);
    ExpectReduced<float>(r, ncclFloat, scaled, 10, 5, 50);
    r.Expect(ncclRedOpDestroy(scaled, r.comm()) == ncclSuccess);
    float* value = r.Device<float>({1});
    r.Expect(ncclAllReduce(value, value, 1, ncclFloat, scaled, r.comm(),
                           r.stream()) == ncclInvalidArgument);
    // One that is read when the operation runs.
    float* factor = r.Device<float>({2});
    ncclRedOpCreatePreMulSum(&scaled, factor, ncclFloat, ncclScalarDevice,
                             r.comm());
    ExpectReduced<float>(r, ncclFloat, scaled, 1, 2, 6);
  });
}

TEST(NcclTest, SharesGoToTheirRanks) {
  InRanks(3, [](Rank& r) {
    const int own = 10 * (r.rank() + 1);
    int* out = r.Device<int>({0, 0, 0});
    int* values = r.Device<int>({own, own + 1, own + 2});
    ncclAlltoAll(values, out, 1, ncclInt, r.comm(), r.stream());
    r.ExpectHolds<int>(out, {10 + r.rank(), 20 + r.rank(), 30 + r.rank()});
    int* part = r.Device<int>({0});
    ncclScatter(values, part, 1, ncclInt, 2, r.comm(), r.stream());
    r.ExpectHolds<int>(part, {30 + r.rank()});
    int* all = r.Device<int>({0, 0, 0});
    ncclGather(part, all, 1, ncclInt, 1, r.comm(), r.stream());
    if (r.rank() == 1) r.ExpectHolds<int>(all, {30, 31, 32});
  });
}

TEST(NcclTest, BadArgumentsAreRefused) {
  InTwoProcesses([](Rank& r) {
    int* value = r.Device<int>({1});
    r.Expect(ncclBroadcast(value, value, 1, ncclInt, 9, r.comm(), r.stream()) ==
             ncclInvalidArgument);
    r.Expect(ncclAllReduce(value, value, 1, ncclInt, ncclSum, nullptr,
                           r.stream()) == ncclInvalidArgument);
    r.Expect(ncclGroupEnd() == ncclInvalidUsage);
  });
}

}  // namespace

int main(int argc, char** argv) {
  // Read once, at the first call into a simulated library.
  setenv("DLTAP_SIM_GPU", "h100-sxm", 1);
  setenv("DLTAP_SIM_QUIET", "1", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
