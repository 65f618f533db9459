// SPDX-License-Identifier: Apache-2.0
// Life and death of communicators of the simulated NCCL, and what waits.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <nccl.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "tests/unit/simgpu/nccl/ranks.h"

namespace {

using namespace dltap::simgpu_test;  // NOLINT

ncclResult_t StateOf(ncclComm_t comm) {
  ncclResult_t state = ncclInternalError;
  EXPECT_EQ(ncclCommGetAsyncError(comm, &state), ncclSuccess);
  return state;
}

ncclResult_t StateAfterWaiting(ncclComm_t comm, ncclResult_t while_it_is) {
  ncclResult_t state = while_it_is;
  for (int i = 0; i < 20'000 && state == while_it_is; ++i) {
    usleep(500);
    state = StateOf(comm);
  }
  return state;
}

TEST(NcclCommunicatorTest, ANonBlockingOneIsInProgressUntilAllHaveCome) {
  InProcesses(2, [](int rank, const ncclUniqueId& id) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    if (rank == 1) usleep(50'000);
    ncclComm_t comm;
    const ncclResult_t result =
        ncclCommInitRankConfig(&comm, 2, id, rank, &config);
    if (rank == 0) {
      EXPECT_EQ(result, ncclInProgress);
      int count = 0;
      EXPECT_EQ(ncclCommCount(comm, &count), ncclInvalidArgument);
    }
    EXPECT_EQ(StateAfterWaiting(comm, ncclInProgress), ncclSuccess);
    int count = 0;
    EXPECT_EQ(ncclCommCount(comm, &count), ncclSuccess);
    EXPECT_EQ(count, 2);
  });
}

TEST(NcclCommunicatorTest, ACollectiveKeepsTheCallerFree) {
  InTwoProcesses([](Rank& r) {
    int* value = r.Device<int>({1});
    if (r.rank() == 1) usleep(100'000);
    ncclAllReduce(value, value, 1, ncclInt, ncclSum, r.comm(), r.stream());
    if (r.rank() == 0) {
      EXPECT_EQ(cudaStreamQuery(r.stream()), cudaErrorNotReady);
    }
    r.ExpectHolds<int>(value, {2});
  });
}

TEST(NcclCommunicatorTest, StreamsMayMeetInDifferentOrder) {
  InTwoProcesses([](Rank& r) {
    ncclComm_t other;
    r.Expect(ncclCommSplit(r.comm(), 0, r.rank(), &other, nullptr) ==
             ncclSuccess);
    cudaStream_t second;
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    int* a = r.Device<int>({1});
    int* b = r.Device<int>({10});
    const auto on_first = [&] {
      ncclAllReduce(a, a, 1, ncclInt, ncclSum, r.comm(), r.stream());
    };
    const auto on_second = [&] {
      ncclAllReduce(b, b, 1, ncclInt, ncclSum, other, second);
    };
    if (r.rank() == 0) {
      on_first();
      on_second();
      // The other rank joins the first only after this.
      EXPECT_EQ(cudaStreamSynchronize(second), cudaSuccess);
    } else {
      on_second();
      EXPECT_EQ(cudaStreamSynchronize(second), cudaSuccess);
      on_first();
    }
    r.ExpectHolds<int>(a, {2});
    r.ExpectHolds<int>(b, {20});
  });
}

TEST(NcclCommunicatorTest, WorkBehindACollectiveWaitsForIt) {
  InTwoProcesses([](Rank& r) {
    int* value = r.Device<int>({r.rank() + 1});
    int* copy = r.Device<int>({0});
    if (r.rank() == 1) usleep(50'000);
    ncclAllReduce(value, value, 1, ncclInt, ncclSum, r.comm(), r.stream());
    cudaMemcpyAsync(copy, value, sizeof(int), cudaMemcpyDeviceToDevice,
                    r.stream());
    ncclAllReduce(copy, copy, 1, ncclInt, ncclSum, r.comm(), r.stream());
    r.ExpectHolds<int>(copy, {6});
  });
}

TEST(NcclCommunicatorTest, AnAbortEndsWhatWaitsForAMissingPeer) {
  InTwoProcesses([](Rank& r) {
    if (r.rank() == 1) return;
    int* value = r.Device<int>({7});
    ncclAllReduce(value, value, 1, ncclInt, ncclSum, r.comm(), r.stream());
    r.Expect(ncclCommAbort(r.comm()) == ncclSuccess);
    r.Expect(cudaStreamSynchronize(r.stream()) == cudaSuccess);
    r.ExpectHolds<int>(value, {7});
    r.Expect(ncclAllReduce(value, value, 1, ncclInt, ncclSum, r.comm(),
                           r.stream()) == ncclInvalidArgument);
  });
}

TEST(NcclCommunicatorTest, ADeadPeerIsARemoteError) {
  InTwoProcesses([](Rank& r) {
    if (r.rank() == 1) _exit(0);
    int* value = r.Device<int>({7});
    ncclAllReduce(value, value, 1, ncclInt, ncclSum, r.comm(), r.stream());
    EXPECT_EQ(StateAfterWaiting(r.comm(), ncclSuccess), ncclRemoteError);
    EXPECT_STREQ(ncclGetLastError(r.comm()),
                 ncclGetErrorString(ncclRemoteError));
    r.Expect(ncclCommAbort(r.comm()) == ncclSuccess);
    r.Expect(cudaStreamSynchronize(r.stream()) == cudaSuccess);
  });
}

// A restarted rank may still read the id of the ranks before it.
TEST(NcclCommunicatorTest, AnIdOfAnEndedProcessIsARemoteError) {
  int ids[2];
  ASSERT_EQ(pipe(ids), 0);
  const pid_t root = fork();
  if (root == 0) {
    ncclUniqueId id;
    const bool made = ncclGetUniqueId(&id) == ncclSuccess;
    _exit(made && write(ids[1], &id, sizeof id) == sizeof id ? 0 : 1);
  }
  ncclUniqueId id;
  ASSERT_EQ(read(ids[0], &id, sizeof id), static_cast<ssize_t>(sizeof id));
  ASSERT_EQ(waitpid(root, nullptr, 0), root);
  ncclComm_t comm = nullptr;
  EXPECT_EQ(ncclCommInitRank(&comm, 2, id, 1), ncclRemoteError);
  EXPECT_EQ(StateOf(comm), ncclRemoteError);
  EXPECT_EQ(ncclCommAbort(comm), ncclSuccess);
  close(ids[0]);
  close(ids[1]);
}

TEST(NcclCommunicatorTest, ShrinkLeavesARankOut) {
  InRanks(3, [](Rank& r) {
    if (r.rank() == 1) return;
    int excluded = 1;
    ncclComm_t rest;
    r.Expect(ncclCommShrink(r.comm(), &excluded, 1, &rest, nullptr,
                            NCCL_SHRINK_ABORT) == ncclSuccess);
    int count = 0;
    int rank = -1;
    ncclCommCount(rest, &count);
    ncclCommUserRank(rest, &rank);
    EXPECT_EQ(count, 2);
    EXPECT_EQ(rank, r.rank() == 0 ? 0 : 1);
    int* value = r.Device<int>({r.rank()});
    ncclAllReduce(value, value, 1, ncclInt, ncclSum, rest, r.stream());
    r.ExpectHolds<int>(value, {2});
  });
}

TEST(NcclCommunicatorTest, WhoWantsNoColourGetsNoCommunicator) {
  InTwoProcesses([](Rank& r) {
    ncclComm_t made = r.comm();
    const int color = r.rank() == 0 ? NCCL_SPLIT_NOCOLOR : 3;
    r.Expect(ncclCommSplit(r.comm(), color, 0, &made, nullptr) == ncclSuccess);
    EXPECT_EQ(made == nullptr, r.rank() == 0);
  });
}

TEST(NcclCommunicatorTest, OneThreadDrivesSeveralDevices) {
  InProcesses(1, [](int, const ncclUniqueId&) {
    ncclComm_t comms[2];
    ASSERT_EQ(ncclCommInitAll(comms, 2, nullptr), ncclSuccess);
    int* values[2];
    for (int i = 0; i < 2; ++i) {
      cudaSetDevice(i);
      int value = i + 1;
      cudaMalloc(reinterpret_cast<void**>(&values[i]), sizeof(int));
      cudaMemcpy(values[i], &value, sizeof value, cudaMemcpyHostToDevice);
    }
    ncclGroupStart();
    for (int i = 0; i < 2; ++i) {
      cudaSetDevice(i);
      ncclAllReduce(values[i], values[i], 1, ncclInt, ncclSum, comms[i],
                    nullptr);
    }
    EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
    for (int i = 0; i < 2; ++i) {
      cudaSetDevice(i);
      int value = 0;
      cudaMemcpy(&value, values[i], sizeof value, cudaMemcpyDeviceToHost);
      EXPECT_EQ(value, 3);
    }
  });
}

TEST(NcclCommunicatorTest, FinalizeWaitsForWhatWasCalled) {
  InTwoProcesses([](Rank& r) {
    int* value = r.Device<int>({1});
    if (r.rank() == 1) usleep(50'000);
    ncclAllReduce(value, value, 1, ncclInt, ncclSum, r.comm(), r.stream());
    r.Expect(ncclCommFinalize(r.comm()) == ncclSuccess);
    int found = 0;
    cudaMemcpy(&found, value, sizeof found, cudaMemcpyDeviceToHost);
    EXPECT_EQ(found, 2);
    r.Expect(ncclCommDestroy(r.comm()) == ncclSuccess);
  });
}

// Where messages lie (shm_overview(7)).
std::set<std::string> Messages() {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    const std::string path = entry.path();
    if (path.find("/dltapsim-") != std::string::npos) found.insert(path);
  }
  return found;
}

// What two ranks leave behind that end before anybody read.
std::set<std::string> MessagesOfCrashedRanks() {
  const std::set<std::string> before = Messages();
  InTwoProcesses([](Rank& r) {
    int* value = r.Device<int>({1});
    if (r.rank() == 1) _exit(0);
    ncclAllReduce(value, value, 1, ncclInt, ncclSum, r.comm(), r.stream());
    _exit(0);
  });
  std::set<std::string> left = Messages();
  for (const std::string& path : before) left.erase(path);
  return left;
}

TEST(NcclCommunicatorTest, WhatCrashedRanksLeftIsRemovedAfterAWhile) {
  const std::set<std::string> fresh = MessagesOfCrashedRanks();
  ASSERT_FALSE(fresh.empty());
  ncclUniqueId id;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  for (const std::string& path : fresh) {
    // A peer may still read it.
    EXPECT_TRUE(std::filesystem::exists(path));
    std::filesystem::last_write_time(
        path,
        std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  }
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  for (const std::string& path : fresh) {
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

TEST(NcclCommunicatorTest, MemoryAndWindows) {
  InTwoProcesses([](Rank& r) {
    void* memory = nullptr;
    r.Expect(ncclMemAlloc(&memory, 8192) == ncclSuccess);
    ncclWindow_t window = nullptr;
    r.Expect(ncclCommWindowRegister(r.comm(), memory, 8192, &window,
                                    NCCL_WIN_COLL_SYMMETRIC) == ncclSuccess);
    r.Expect(window != nullptr);
    r.Expect(ncclCommWindowRegister(r.comm(), static_cast<char*>(memory) + 8,
                                    64, &window, 0) == ncclInvalidArgument);
    r.Expect(ncclCommWindowDeregister(r.comm(), window) == ncclSuccess);
    void* handle = nullptr;
    r.Expect(ncclCommRegister(r.comm(), memory, 64, &handle) == ncclSuccess);
    r.Expect(ncclCommDeregister(r.comm(), handle) == ncclSuccess);
    r.Expect(ncclMemFree(memory) == ncclSuccess);
  });
}

}  // namespace

int main(int argc, char** argv) {
  // Read once, at the first call into a simulated library.
  setenv("DLTAP_SIM_GPU", "h100-sxm", 1);
  setenv("DLTAP_SIM_GPUS", "2", 1);
  setenv("DLTAP_SIM_QUIET", "1", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
