// SPDX-License-Identifier: Apache-2.0
// A program that wraps a NCCL function, as profilers do, goes on by its second
// name.
#include <atomic>

#include "tests/unit/simgpu/nccl/ranks.h"

namespace {

std::atomic<int> g_wrapped{0};

}  // namespace

// Stands before the library's.
ncclResult_t ncclAllReduce(const void* input, void* output, size_t count,
                           ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t stream) {
  ++g_wrapped;
  return pncclAllReduce(input, output, count, type, op, comm, stream);
}

namespace {

using namespace dltap::simgpu_test;  // NOLINT

TEST(PncclTest, AWrapperIsCalledOnceAndGoesOn) {
  InTwoProcesses([](Rank& r) {
    int* value = r.Device<int>({r.rank() + 1});
    ncclAllReduce(value, value, 1, ncclInt, ncclSum, r.comm(), r.stream());
    r.ExpectHolds<int>(value, {3});
    EXPECT_EQ(g_wrapped, 1);
    int ranks = 0;
    EXPECT_EQ(pncclCommCount(r.comm(), &ranks), ncclSuccess);
    EXPECT_EQ(ranks, 2);
    EXPECT_STREQ(pncclGetErrorString(ncclSuccess),
                 ncclGetErrorString(ncclSuccess));
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
