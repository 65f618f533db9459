// SPDX-License-Identifier: Apache-2.0
// The simulated NCCL between two real processes: what every rank then reads.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <nccl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

namespace {

constexpr int kRanks = 2;

// One rank's view: device buffers that are filled from and read to the host.
class Rank {
 public:
  Rank(int rank, const ncclUniqueId& id) : rank_(rank) {
    Expect(ncclCommInitRank(&comm_, kRanks, id, rank) == ncclSuccess);
    Expect(cudaStreamCreate(&stream_) == cudaSuccess);
  }

  int rank() const { return rank_; }
  ncclComm_t comm() const { return comm_; }
  cudaStream_t stream() const { return stream_; }
  bool ok() const { return ok_; }

  template <typename T>
  T* Device(const std::vector<T>& values) {
    T* memory = nullptr;
    const size_t bytes = values.size() * sizeof(T);
    Expect(cudaMalloc(reinterpret_cast<void**>(&memory), bytes) == cudaSuccess);
    Expect(cudaMemcpy(memory, values.data(), bytes, cudaMemcpyHostToDevice) ==
           cudaSuccess);
    return memory;
  }

  template <typename T>
  void ExpectHolds(const T* memory, const std::vector<T>& wanted) {
    std::vector<T> found(wanted.size());
    Expect(cudaStreamSynchronize(stream_) == cudaSuccess);
    Expect(cudaMemcpy(found.data(), memory, wanted.size() * sizeof(T),
                      cudaMemcpyDeviceToHost) == cudaSuccess);
    Expect(found == wanted);
  }

  void Expect(bool condition) { ok_ = ok_ && condition; }

 private:
  const int rank_;
  ncclComm_t comm_ = nullptr;
  cudaStream_t stream_ = nullptr;
  bool ok_ = true;
};

// Runs `body` in two processes, one rank each; both must end well.
void InTwoProcesses(const std::function<void(Rank&)>& body) {
  ncclUniqueId id;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  pid_t children[kRanks];
  for (int rank = 0; rank < kRanks; ++rank) {
    children[rank] = fork();
    ASSERT_GE(children[rank], 0);
    if (children[rank] == 0) {
      alarm(60);  // a rank that hangs fails
      Rank view(rank, id);
      body(view);
      _exit(view.ok() ? 0 : 1);
    }
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

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
