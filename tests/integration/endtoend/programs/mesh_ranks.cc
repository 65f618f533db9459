// SPDX-License-Identifier: Apache-2.0
// mesh_ranks STEPS RANKS [PATIENCE_S]: that many ranks, each a process with a
// GPU, as a launcher starts them. Rank r has a communicator with each rank
// whose number differs in one bit, split off the one of all. A step is four
// matrix products and a sum in each communicator. Where a rank is killed, or
// all take longer than PATIENCE_S, the launcher kills the rest.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/integration/endtoend/programs/device_work.h"

namespace {

using corners::Check;

constexpr int kSide = 2048;
constexpr size_t kSummed = 1 << 18;

std::string IdPath() { return std::getenv("MESH_ID"); }

// Rank 0 makes it, the others read it.
ncclUniqueId SharedId(int rank) {
  ncclUniqueId id;
  const std::string path = IdPath();
  if (rank == 0) {
    Check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    const std::string part = path + ".part";
    std::FILE* file = std::fopen(part.c_str(), "w");
    Check(std::fwrite(&id, sizeof id, 1, file) != 1, "fwrite");
    std::fclose(file);
    Check(std::rename(part.c_str(), path.c_str()), "rename");
    return id;
  }
  std::FILE* file = nullptr;
  while ((file = std::fopen(path.c_str(), "r")) == nullptr) usleep(1000);
  Check(std::fread(&id, sizeof id, 1, file) != 1, "fread");
  std::fclose(file);
  return id;
}

std::vector<ncclComm_t> Communicators(int rank, int ranks) {
  std::vector<ncclComm_t> made(1);
  Check(ncclCommInitRank(&made[0], ranks, SharedId(rank), rank), "init");
  for (int bit = 1; bit < ranks; bit *= 2) {
    ncclComm_t pair = nullptr;
    Check(ncclCommSplit(made[0], rank & ~bit, rank, &pair, nullptr), "split");
    made.push_back(pair);
  }
  return made;
}

void Train(int steps, int rank, int ranks) {
  Check(cudaSetDevice(rank), "cudaSetDevice");
  const std::vector<ncclComm_t> communicators = Communicators(rank, ranks);
  cublasHandle_t cublas = nullptr;
  Check(cublasCreate(&cublas), "cublasCreate");
  void* memory = nullptr;
  Check(cudaMalloc(&memory, 3 * sizeof(float) * kSide * kSide), "cudaMalloc");
  auto* a = static_cast<float*>(memory);
  const std::vector<float> batch(kSide);
  const float one = 1;
  for (int step = 0; step < steps; ++step) {
    Check(cudaMemcpy(a, batch.data(), kSide * sizeof(float),
                     cudaMemcpyHostToDevice),
          "cudaMemcpy");
    for (int i = 0; i < 4; ++i) {
      Check(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, kSide, kSide >> i,
                        kSide, &one, a, kSide, a + kSide * kSide, kSide, &one,
                        a + 2 * kSide * kSide, kSide),
            "cublasSgemm");
    }
    for (ncclComm_t communicator : communicators) {
      Check(ncclAllReduce(a, a, kSummed, ncclFloat, ncclSum, communicator,
                          nullptr),
            "ncclAllReduce");
    }
    Check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
}

std::vector<pid_t> StartRanks(char** arguments, int ranks) {
  std::vector<pid_t> started;
  for (int rank = 0; rank < ranks; ++rank) {
    started.push_back(fork());
    if (started.back() != 0) continue;
    setenv("RANK", std::to_string(rank).c_str(), 1);
    setenv("WORLD_SIZE", std::to_string(ranks).c_str(), 1);
    execv(arguments[0], arguments);
    _exit(127);
  }
  return started;
}

// 0, or 1 where a rank did not end well.
int Launch(char** arguments, int ranks, int patience_s) {
  std::string path =
      std::filesystem::temp_directory_path() / "mesh_ranks.XXXXXX";
  close(mkstemp(path.data()));
  unlink(path.c_str());
  setenv("MESH_ID", path.c_str(), 1);
  const std::vector<pid_t> started = StartRanks(arguments, ranks);
  int running = ranks;
  bool is_well = true;
  for (int ms = 0; running > 0; ++ms, usleep(1000)) {
    int status = 0;
    while (running > 0 && waitpid(-1, &status, WNOHANG) > 0) {
      --running;
      is_well = is_well && status == 0;
      // The others get a second to come to where they wait.
      if (status != 0) patience_s = std::min(patience_s, ms / 1000 + 2);
    }
    if (ms < patience_s * 1000) continue;
    for (const pid_t rank : started) kill(rank, SIGKILL);
    is_well = false;
  }
  unlink(path.c_str());
  return is_well ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const int ranks = std::atoi(arguments[2]);
  const char* rank = std::getenv("RANK");
  if (rank == nullptr) {
    return Launch(arguments, ranks, count > 3 ? std::atoi(arguments[3]) : 600);
  }
  Train(std::atoi(arguments[1]), std::atoi(rank), ranks);
  return 0;
}
