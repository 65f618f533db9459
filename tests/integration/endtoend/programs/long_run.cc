// SPDX-License-Identifier: Apache-2.0
// long_run ROUNDS [THREADS [PAUSE]]: rounds of device work, with PAUSE ms after
// each; with THREADS, each round is the whole life of that many threads. Prints
// the resident memory, KiB, after each tenth of the rounds.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/integration/endtoend/programs/device_work.h"

namespace {

long ResidentKiB() {
  std::ifstream statm("/proc/self/statm");
  long size = 0;
  long resident = 0;
  statm >> size >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

void ThreadsLive(int count) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([] {
      void* memory = nullptr;
      corners::Check(cudaMalloc(&memory, 64), "cudaMalloc");
      for (int k = 0; k < 4; ++k) {
        corners::Check(cudaMemsetAsync(memory, k, 64, nullptr),
                       "cudaMemsetAsync");
      }
      corners::Check(cudaFree(memory), "cudaFree");
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 0;
  const int pause_ms = argc > 3 ? std::atoi(argv[3]) : 0;
  corners::DeviceWork work;
  for (int i = 0; i < rounds; ++i) {
    if (threads > 0) {
      ThreadsLive(threads);
    } else {
      work.Memsets(800);
      work.Products(200);
    }
    corners::DeviceWork::Wait();
    if (pause_ms > 0) usleep(1000 * pause_ms);
    if ((i + 1) % ((rounds + 9) / 10) == 0) {
      std::printf("%ld\n", ResidentKiB());
      std::fflush(stdout);
    }
  }
  return 0;
}
