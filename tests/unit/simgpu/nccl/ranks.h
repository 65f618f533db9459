// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_SIMGPU_NCCL_RANKS_H_
#define DLTAP_TESTS_UNIT_SIMGPU_NCCL_RANKS_H_

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <nccl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <vector>

namespace dltap::simgpu_test {

// One rank's view: device buffers that are filled from and read to the host.
class Rank {
 public:
  Rank(int rank, int ranks, const ncclUniqueId& id)
      : rank_(rank), ranks_(ranks) {
    Expect(ncclCommInitRank(&comm_, ranks, id, rank) == ncclSuccess);
    Expect(cudaStreamCreate(&stream_) == cudaSuccess);
  }

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
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
  const int ranks_;
  ncclComm_t comm_ = nullptr;
  cudaStream_t stream_ = nullptr;
  bool ok_ = true;
};

// Runs `body` in processes of their own, one rank each; all must end well.
// REQUIRES: this process has not called the simulation but for the id.
inline void InProcesses(
    int ranks, const std::function<void(int, const ncclUniqueId&)>& body) {
  ncclUniqueId id;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  std::vector<pid_t> children(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    children[rank] = fork();
    ASSERT_GE(children[rank], 0);
    if (children[rank] == 0) {
      alarm(60);  // a rank that hangs fails
      body(rank, id);
      _exit(::testing::Test::HasFailure() ? 1 : 0);
    }
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

inline void InRanks(int ranks, const std::function<void(Rank&)>& body) {
  InProcesses(ranks, [&](int rank, const ncclUniqueId& id) {
    Rank view(rank, ranks, id);
    body(view);
    EXPECT_TRUE(view.ok());
  });
}

inline void InTwoProcesses(const std::function<void(Rank&)>& body) {
  InRanks(2, body);
}

}  // namespace dltap::simgpu_test

#endif  // DLTAP_TESTS_UNIT_SIMGPU_NCCL_RANKS_H_
