// SPDX-License-Identifier: Apache-2.0
// What a wrapper adds to a call: entry_overhead TAP_LIBRARY
//
// Runs itself under the tap, recording and off, and prints for functions of 3,
// 9 and 19 arguments the nanoseconds added to the bare call, hot and with 2 MiB
// touched between the calls, and their ratio to a pair of cycle counter reads
// in the same process: the machine's noise moves both. The bodies are empty, so
// these are the smallest calls that exist.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
int cudaMalloc(void** p, size_t n);
#define DECLARE(name, ...) \
  int name(__VA_ARGS__);   \
  int bare_##name(__VA_ARGS__);
DECLARE(cudaGetDevice, int*)
DECLARE(cudaMemset, void*, int, size_t)
DECLARE(cublasSetStream_v2, void*, void*)
DECLARE(cublasStrmv_v2, void*, int, int, int, int, const float*, int, float*,
        int)
DECLARE(cublasGemmEx, void*, int, int, int, int, int, const void*, const void*,
        int, int, const void*, int, int, const void*, void*, int, int, int, int)
DECLARE(cudnnBackendCreateDescriptor, int, void**)
DECLARE(cudnnBackendSetAttribute, void*, int, int, long, const void*)
DECLARE(cudnnBackendGetAttribute, void*, int, int, long, long*, void*)
DECLARE(cudnnBackendDestroyDescriptor, void*)
DECLARE(cudnnBackendExecute, void*, void*, void*)
#undef DECLARE
}

namespace {

constexpr int kBatches = 301;
constexpr int kHotCalls = 256;
constexpr int kColdCalls = 24;

double g_ticks_per_ns = 1;
std::vector<char> g_memory(2 << 20);

template <typename Function>
double TicksPerCall(Function function, int calls, bool cold) {
  std::vector<double> batches;
  for (int batch = 0; batch < kBatches; ++batch) {
    uint64_t ticks = 0;
    if (cold) {
      for (int i = 0; i < calls; ++i) {
        for (size_t at = 0; at < g_memory.size(); at += 64) ++g_memory[at];
        const uint64_t begin = __rdtsc();
        function();
        ticks += __rdtsc() - begin;
      }
    } else {
      const uint64_t begin = __rdtsc();
      for (int i = 0; i < calls; ++i) function();
      ticks = __rdtsc() - begin;
    }
    batches.push_back(static_cast<double>(ticks) / calls);
    // The collector must keep up: a full ring would make calls cheaper.
    if (batch % 8 == 7) usleep(1500);
  }
  std::nth_element(batches.begin(), batches.begin() + kBatches / 2,
                   batches.end());
  return batches[kBatches / 2];
}

uint64_t g_sink;

void PairOfReads() {
  const uint64_t begin = __rdtsc();
  asm volatile("" ::: "memory");
  g_sink = __rdtsc() - begin;
}

template <typename Wrapped, typename Bare>
void Measure(const char* mode, const char* name, Wrapped wrapped, Bare bare) {
  for (const bool cold : {false, true}) {
    const int calls = cold ? kColdCalls : kHotCalls;
    const double pair = TicksPerCall(PairOfReads, kHotCalls, false);
    const double added =
        TicksPerCall(wrapped, calls, cold) - TicksPerCall(bare, calls, cold);
    printf("%-5s %-22s %-4s %8.1f ns %8.2f\n", mode, name,
           cold ? "cold" : "hot", added / g_ticks_per_ns, added / pair);
  }
}

void CalibrateTicks() {
  timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  const uint64_t ticks = __rdtsc();
  usleep(50'000);
  clock_gettime(CLOCK_MONOTONIC, &end);
  const double ns = (end.tv_sec - begin.tv_sec) * 1e9 +
                    static_cast<double>(end.tv_nsec - begin.tv_nsec);
  g_ticks_per_ns = static_cast<double>(__rdtsc() - ticks) / ns;
}

// Descriptors of a convolution, as clients make them; the vendor's are empty.
struct Graph {
  char tensors[3], convolution, graph, plan, pack;
};
Graph g_graph;

void* Created(char* at, int type) {
  void* descriptor = at;
  cudnnBackendCreateDescriptor(type, &descriptor);
  return descriptor;
}

void SetDescriptor(void* of, int name, void* value) {
  constexpr int kDescriptor = 15;
  cudnnBackendSetAttribute(of, name, kDescriptor, 1, &value);
}

constexpr int kInt64 = 3, kVoidPointer = 6;
constexpr int kPackIds = 1000, kPackPointers = 1001;
constexpr int64_t kUids[] = {'x', 'w', 'y'};
constexpr uint64_t kPointers[] = {0x1000, 0x2000, 0x3000};

// X, W and Y of a convolution forward, its graph, its plan and a pack.
void MakeGraph() {
  constexpr int kTensor = 17, kForward = 10, kOperationGraph = 15, kPlan = 5,
                kPack = 16;
  constexpr int kDataType = 901, kDimensions = 902, kUniqueId = 906;
  constexpr int kSlots[] = {704, 703, 705};
  constexpr int64_t kDims[] = {8, 64, 32, 32};
  constexpr int kTypeOfType = 1, kOperations = 801, kEngineConfig = 401;
  const int data_type = 0;
  void* convolution = Created(&g_graph.convolution, kForward);
  for (int i = 0; i < 3; ++i) {
    void* tensor = Created(&g_graph.tensors[i], kTensor);
    cudnnBackendSetAttribute(tensor, kDataType, kTypeOfType, 1, &data_type);
    cudnnBackendSetAttribute(tensor, kDimensions, kInt64, 4, kDims);
    cudnnBackendSetAttribute(tensor, kUniqueId, kInt64, 1, &kUids[i]);
    SetDescriptor(convolution, kSlots[i], tensor);
  }
  void* graph = Created(&g_graph.graph, kOperationGraph);
  SetDescriptor(graph, kOperations, convolution);
  SetDescriptor(Created(&g_graph.plan, kPlan), kEngineConfig, graph);
  Created(&g_graph.pack, kPack);
}

void MeasureGraphs(const char* mode) {
  MakeGraph();
  Measure(
      mode, "state, pack of 3",
      [] {
        cudnnBackendSetAttribute(&g_graph.pack, kPackIds, kInt64, 3, kUids);
        cudnnBackendSetAttribute(&g_graph.pack, kPackPointers, kVoidPointer, 3,
                                 kPointers);
      },
      [] {
        bare_cudnnBackendSetAttribute(&g_graph.pack, kPackIds, kInt64, 3,
                                      kUids);
        bare_cudnnBackendSetAttribute(&g_graph.pack, kPackPointers,
                                      kVoidPointer, 3, kPointers);
      });
  Measure(
      mode, "state, pack's life",
      [] {
        cudnnBackendDestroyDescriptor(&g_graph.pack);
        Created(&g_graph.pack, 16);
      },
      [] {
        void* descriptor = &g_graph.pack;
        bare_cudnnBackendDestroyDescriptor(descriptor);
        bare_cudnnBackendCreateDescriptor(16, &descriptor);
      });
  cudnnBackendSetAttribute(&g_graph.pack, kPackIds, kInt64, 3, kUids);
  cudnnBackendSetAttribute(&g_graph.pack, kPackPointers, kVoidPointer, 3,
                           kPointers);
  Measure(
      mode, "record, execution",
      [] { cudnnBackendExecute(&g_sink, &g_graph.plan, &g_graph.pack); },
      [] { bare_cudnnBackendExecute(&g_sink, &g_graph.plan, &g_graph.pack); });
}

void MeasureAll(const char* mode) {
  void* memory = nullptr;
  cudaMalloc(&memory, 1);  // starts the session
  CalibrateTicks();
  int device;
  Measure(
      mode, "record, 3 arguments", [] { cudaMemset(nullptr, 0, 64); },
      [] { bare_cudaMemset(nullptr, 0, 64); });
  Measure(
      mode, "record, 9 arguments",
      [] { cublasStrmv_v2(&g_sink, 0, 1, 2, 64, nullptr, 64, nullptr, 1); },
      [] {
        bare_cublasStrmv_v2(&g_sink, 0, 1, 2, 64, nullptr, 64, nullptr, 1);
      });
  Measure(
      mode, "record, 19 arguments",
      [] {
        cublasGemmEx(&g_sink, 0, 1, 64, 64, 64, nullptr, nullptr, 2, 64,
                     nullptr, 2, 64, nullptr, nullptr, 2, 64, 68, -1);
      },
      [] {
        bare_cublasGemmEx(&g_sink, 0, 1, 64, 64, 64, nullptr, nullptr, 2, 64,
                          nullptr, 2, 64, nullptr, nullptr, 2, 64, 68, -1);
      });
  Measure(
      mode, "count", [&] { cudaGetDevice(&device); },
      [&] { bare_cudaGetDevice(&device); });
  Measure(
      mode, "state", [] { cublasSetStream_v2(&g_sink, nullptr); },
      [] { bare_cublasSetStream_v2(&g_sink, nullptr); });
  MeasureGraphs(mode);
}

int RunUnder(const char* self, const char* tap, const char* mode,
             const std::string& directory) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    setenv("LD_PRELOAD", tap, 1);
    setenv("DLTAP_OUTPUT", directory.c_str(), 1);
    setenv("DLTAP_LEVEL", "host", 1);
    if (strcmp(mode, "off") == 0) setenv("DLTAP_START", "off", 1);
    execl(self, self, "--measure", mode, nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "--measure") == 0) {
    MeasureAll(argv[2]);
    return 0;
  }
  if (argc != 2) {
    fprintf(stderr, "usage: entry_overhead TAP_LIBRARY\n");
    return 2;
  }
  char directory[] = "/tmp/entry_overhead.XXXXXX";
  if (mkdtemp(directory) == nullptr) return 1;
  printf("%-5s %-22s %-4s %11s %8s\n", "mode", "function", "", "added",
         "ratio");
  int failed = 0;
  for (const char* mode : {"off", "on"}) {
    failed += RunUnder("/proc/self/exe", argv[1], mode, directory);
  }
  const std::string remove = std::string("rm -rf ") + directory;
  return failed + system(remove.c_str());
}
