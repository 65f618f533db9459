// SPDX-License-Identifier: Apache-2.0
// How launches scale over threads with a stream each: launches per second of
// wall time by several threads against those by one. The rounds alternate, so
// that other load on the machine meets both alike; what the launches of idle
// cores would give follows from CPU time, since a lock or a shared cache line
// shows in it.
#include <cuda_runtime_api.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/unit/simgpu/kernels.h"

namespace {

constexpr int kLaunches = 200'000;  // of each thread in a round
constexpr int kRounds = 9;

double Seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Rate {
  double launches_per_s;
  double cpu_ns;  // of one launch
};

void Launch(unsigned blocks, std::atomic<bool>& go,
            std::atomic<int64_t>& cpu_ns) {
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  float* data = nullptr;
  void* arguments[] = {&data, &data};
  while (!go.load(std::memory_order_acquire)) std::this_thread::yield();
  const double before = Seconds(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < kLaunches; ++i) {
    cudaLaunchKernel(ScaleStub(), dim3(blocks), dim3(256), arguments, 0,
                     stream);
  }
  cpu_ns +=
      static_cast<int64_t>((Seconds(CLOCK_THREAD_CPUTIME_ID) - before) * 1e9);
  cudaStreamDestroy(stream);
}

Rate Round(int threads, unsigned blocks) {
  std::atomic<bool> go{false};
  std::atomic<int64_t> cpu_ns{0};
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; ++i) {
    pool.emplace_back([&] { Launch(blocks, go, cpu_ns); });
  }
  const double before = Seconds(CLOCK_MONOTONIC);
  go.store(true, std::memory_order_release);
  for (std::thread& thread : pool) thread.join();
  const double launches = 1.0 * threads * kLaunches;
  return {launches / (Seconds(CLOCK_MONOTONIC) - before),
          static_cast<double>(cpu_ns.load()) / launches};
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void Compare(int threads, unsigned blocks) {
  std::vector<double> ratios, one_ns, many_ns;
  for (int i = 0; i < kRounds; ++i) {
    const Rate one = Round(1, blocks);
    const Rate many = Round(threads, blocks);
    ratios.push_back(many.launches_per_s / one.launches_per_s);
    one_ns.push_back(one.cpu_ns);
    many_ns.push_back(many.cpu_ns);
  }
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  std::printf(
      "%5u blocks: %d threads launch %.2f times as fast as one; by CPU time "
      "%.2f times on %d cores (%.0f ns a launch, one thread %.0f ns)\n",
      blocks, threads, Median(ratios),
      std::min(cores, threads) * Median(one_ns) / Median(many_ns), cores,
      Median(many_ns), Median(one_ns));
}

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "no GPU is simulated: set DLTAP_SIM_GPU\n");
    return 1;
  }
  const int threads = argc > 1 ? std::max(1, std::atoi(argv[1])) : 8;
  // 64 blocks of 8 streams fit on the device together, 4096 fill it.
  for (const unsigned blocks : {1u, 64u, 4096u}) Compare(threads, blocks);
}
