// SPDX-License-Identifier: Apache-2.0
// device MODE: what programs do to a device that few do: a hundred thousand of
// everything, graphs that go while they run, captures that never end, launches
// from coroutines, from destructors, from handlers at exit.
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/hostile/programs/host_state.h"

extern "C" const void* KernelStub();

namespace {

int LaunchWith(unsigned grid, unsigned block, cudaStream_t stream) {
  int* numbers = nullptr;
  void* arguments[] = {&numbers};
  return cudaLaunchKernel(KernelStub(), {grid, 1, 1}, {block, 1, 1}, arguments,
                          0, stream);
}

// ---- Many of everything

int ManyVariants() {
  int errors = Work(1);
  for (unsigned i = 1; i <= 60'000; ++i) {
    errors += LaunchWith(i, 1 + i % 1024, nullptr) != 0;
    if (i % 1000 == 0) cudaDeviceSynchronize();
  }
  Say("errors %d\n", errors);
  return 0;
}

int ManySizes() {
  int errors = Work(1);
  std::vector<char> from(200'000), to(200'000);
  for (size_t i = 1; i <= 100'000; ++i) {
    errors += cudaMemcpyAsync(to.data(), from.data(), i,
                              cudaMemcpyHostToHost, nullptr) != 0;
  }
  Say("errors %d last %d\n", errors, cudaDeviceSynchronize());
  return 0;
}

int ManyStreams() {
  int errors = 0;
  std::vector<cudaStream_t> alive(3'000);
  for (cudaStream_t& stream : alive) {
    errors += cudaStreamCreate(&stream) != 0;
    errors += LaunchWith(1, 32, stream) != 0;
  }
  for (int i = 0; i < 30'000; ++i) {
    cudaStream_t stream = nullptr;
    errors += cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != 0;
    errors += LaunchWith(1, 32, stream) != 0;
    errors += cudaStreamDestroy(stream) != 0;
  }
  Say("errors %d last %d\n", errors, cudaDeviceSynchronize());
  return 0;
}

int ManyEvents() {
  int errors = Work(1);
  for (int i = 0; i < 50'000; ++i) {
    cudaEvent_t event = nullptr;
    errors += cudaEventCreate(&event) != 0;
    errors += cudaEventRecord(event, nullptr) != 0;
    errors += cudaEventDestroy(event) != 0;
  }
  Say("errors %d\n", errors);
  return 0;
}

// Kernels of 70,000 letters, in libraries that go again.
int LongNames() {
  int errors = Work(1);
  for (int i = 0; i < 30; ++i) {
    std::string name(70'000, static_cast<char>('a' + i % 26));
    name += std::to_string(i);
    const std::string ptx = ".version 8.0\n.target sm_90\n.address_size 64\n"
                            ".visible .entry " + name + "()\n{\n ret;\n}\n";
    cudaLibrary_t library = nullptr;
    cudaKernel_t kernel = nullptr;
    errors += cudaLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0,
                                  nullptr, nullptr, 0) != 0;
    if (library == nullptr) continue;
    errors += cudaLibraryGetKernel(&kernel, library, name.c_str()) != 0;
    errors += cudaLaunchKernel(kernel, {1, 1, 1}, {32, 1, 1}, nullptr, 0,
                               nullptr) != 0;
    cudaDeviceSynchronize();
    errors += cudaLibraryUnload(library) != 0;
  }
  Say("errors %d\n", errors);
  return 0;
}

int Toggled() {
  int errors = Work(1);
  for (int i = 0; i < 200; ++i) {
    errors += cudaProfilerStop() != 0;
    errors += Launch() != 0;
    errors += cudaProfilerStart() != 0;
    errors += Launch() != 0;
  }
  Say("errors %d\n", errors);
  return 0;
}

// ---- Graphs and captures

cudaGraphExec_t Captured(cudaStream_t stream, int launches, int* errors) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  *errors += cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) != 0;
  for (int i = 0; i < launches; ++i) *errors += LaunchWith(1, 32, stream) != 0;
  *errors += cudaStreamEndCapture(stream, &graph) != 0;
  *errors += cudaGraphInstantiate(&exec, graph, 0) != 0;
  *errors += cudaGraphDestroy(graph) != 0;
  return exec;
}

int GraphsThatGo() {
  int errors = Work(1);
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  for (int i = 0; i < 300; ++i) {
    const cudaGraphExec_t exec = Captured(stream, 1 + i % 20, &errors);
    for (int n = 0; n < 3; ++n) errors += cudaGraphLaunch(exec, stream) != 0;
    errors += cudaGraphExecDestroy(exec) != 0;
  }
  Say("errors %d last %d\n", errors, cudaDeviceSynchronize());
  return 0;
}

int CaptureLeftOpen() {
  cudaStream_t stream = nullptr;
  Say("work %d\n", Work(3));
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  Say("captured %d\n", LaunchWith(1, 32, stream));
  return 5;
}

int CaptureOfAThreadThatEnds() {
  cudaStream_t stream = nullptr;
  Say("work %d\n", Work(3));
  cudaStreamCreate(&stream);
  std::thread([&] {
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
    LaunchWith(1, 32, stream);
  }).join();
  cudaGraph_t graph = nullptr;
  Say("ended %d\n", cudaStreamEndCapture(stream, &graph));
  Say("work %d\n", Work(3));
  return 0;
}

int CaptureThatFails() {
  cudaStream_t stream = nullptr;
  Say("work %d\n", Work(3));
  cudaStreamCreate(&stream);
  for (int i = 0; i < 20; ++i) {
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    LaunchWith(1, 32, stream);
    const int synchronized = cudaStreamSynchronize(stream);
    cudaGraph_t graph = nullptr;
    const int ended = cudaStreamEndCapture(stream, &graph);
    if (i == 0) Say("synchronized %d ended %d\n", synchronized, ended);
    cudaGetLastError();
  }
  Say("work %d\n", Work(3));
  SayState("after");
  return 0;
}

int ResetAgain() {
  for (int i = 0; i < 10; ++i) {
    cudaStream_t stream = nullptr;
    const int created = cudaStreamCreate(&stream);
    const int launched = LaunchWith(1, 32, stream);
    Say("%d %d reset %d\n", created, launched, cudaDeviceReset());
  }
  return 0;
}

int FailsForGood() {
  int first = -1, last = 0;
  for (int i = 0; i < 300; ++i) {
    // The launch tells of its own fault only if it ended that early.
    const int launched = Launch();
    const int synchronized = cudaDeviceSynchronize();
    last = launched != 0 ? launched : synchronized;
    if (last != 0 && first < 0) first = i;
  }
  Say("first %d last %d\n", first, last);
  Say("peek %d get %d\n", cudaPeekAtLastError(), cudaGetLastError());
  SayState("failed");
  return last != 0;
}

// ---- Coroutines

constexpr size_t kStackBytes = size_t{128} << 10;
struct Coroutine {
  ucontext_t context, caller;
  char* stack = nullptr;
  int errors = 0;
  bool is_over = false;
};
thread_local Coroutine* t_current = nullptr;

void RunCoroutine(unsigned high, unsigned low) {
  auto* self = reinterpret_cast<Coroutine*>(uint64_t{high} << 32 | low);
  for (int i = 0; i < 20; ++i) {
    self->errors += Launch() != 0;
    self->errors += cudaMemsetAsync(nullptr, 0, 0, nullptr) != 0;
    swapcontext(&self->context, &self->caller);
  }
  self->is_over = true;
  swapcontext(&self->context, &self->caller);
}

void Make(Coroutine* coroutine) {
  void* stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  coroutine->stack = static_cast<char*>(stack);
  getcontext(&coroutine->context);
  coroutine->context.uc_stack.ss_sp = stack;
  coroutine->context.uc_stack.ss_size = kStackBytes;
  coroutine->context.uc_link = nullptr;
  const auto at = reinterpret_cast<uint64_t>(coroutine);
  makecontext(&coroutine->context, reinterpret_cast<void (*)()>(RunCoroutine),
              2, static_cast<unsigned>(at >> 32), static_cast<unsigned>(at));
}

void Resume(Coroutine* coroutine) {
  swapcontext(&coroutine->caller, &coroutine->context);
}

// The first work is a coroutine's; stacks go when they are over.
int Coroutines() {
  std::vector<Coroutine> all(50);
  for (Coroutine& coroutine : all) Make(&coroutine);
  int errors = 0;
  for (int left = 50; left > 0;) {
    for (Coroutine& coroutine : all) {
      if (coroutine.is_over) continue;
      Resume(&coroutine);
      if (!coroutine.is_over) continue;
      munmap(coroutine.stack, kStackBytes);
      errors += coroutine.errors;
      --left;
    }
  }
  Say("errors %d\n", errors);
  return 0;
}

// Each turn of a coroutine is another thread's.
int WanderingCoroutines() {
  std::vector<Coroutine> all(8);
  for (Coroutine& coroutine : all) Make(&coroutine);
  for (int turn = 0; turn < 21; ++turn) {
    for (Coroutine& coroutine : all) {
      std::thread([&] { Resume(&coroutine); }).join();
    }
  }
  int errors = 0;
  for (Coroutine& coroutine : all) errors += coroutine.errors;
  Say("errors %d over %d\n", errors, all[0].is_over);
  return 0;
}

// ---- Late work

std::atomic<int> g_late{0};
struct LaunchesAtEnd {
  ~LaunchesAtEnd() { g_late += Launch() == 0; }
};
thread_local LaunchesAtEnd t_first;
thread_local std::vector<LaunchesAtEnd>* t_more;

struct EndsLast {
  ~EndsLast() { Say("launches at the end %d\n", g_late.load()); }
};

int Destructors() {
  static EndsLast last;
  Say("work %d\n", Work(3));
  (void)&t_first;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([] {
      (void)&t_first;
      t_more = new std::vector<LaunchesAtEnd>(3);
      delete t_more;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}

int g_handlers = 0;
void HandleExit() {
  Launch();
  if (++g_handlers < 100) atexit(HandleExit);
  if (g_handlers == 100) Say("handlers %d %d\n", g_handlers, Launch());
}
int ManyHandlers() {
  for (int i = 0; i < 10; ++i) atexit(HandleExit);
  Say("work %d\n", Work(3));
  return 0;
}

void RunOnHost(void* count) { ++*static_cast<std::atomic<int>*>(count); }
int HostFunctions() {
  std::atomic<int> count{0};
  int errors = Work(1);
  for (int i = 0; i < 500; ++i) {
    errors += LaunchWith(1, 32, nullptr) != 0;
    errors += cudaLaunchHostFunc(nullptr, RunOnHost, &count) != 0;
  }
  cudaDeviceSynchronize();
  Say("errors %d count %d\n", errors, count.load());
  return 0;
}

// ---- Signals on little room

volatile sig_atomic_t g_signals = 0;
void AskInHandler(int) {
  cudaPeekAtLastError();
  g_signals = g_signals + 1;
}

int SmallStackStorm() {
  Say("work %d\n", Work(3));
  stack_t stack = {};
  stack.ss_size = 8192;
  stack.ss_sp = malloc(stack.ss_size);
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = AskInHandler;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often = {{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &often, nullptr);
  int errors = 0;
  for (int i = 0; i < 100'000; ++i) errors += Launch() != 0;
  const itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  Say("errors %d signals %d\n", errors, g_signals > 0);
  return 0;
}

// A thread has little stack left, and says where it is by names of any length.
void* NameRanges(void*) {
  char name[900];
  for (int i = 0; i < 200; ++i) {
    memset(name, 'a' + i % 26, sizeof(name));
    snprintf(name + 4 * i, 8, "%d", i);
    nvtxRangePushA(name);
    nvtxRangePop();
  }
  return nullptr;
}

int RangesOnSmallStacks() {
  nvtxRangePushA("first");
  Say("work %d\n", Work(3));
  nvtxRangePop();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
  int created = 0;
  for (int i = 0; i < 10; ++i) {
    pthread_t thread;
    created += pthread_create(&thread, &attributes, NameRanges, nullptr) == 0;
    pthread_join(thread, nullptr);
  }
  Say("created %d work %d\n", created, Work(3));
  return 0;
}

// ---- Plugins that come and go

int ReloadStorm() {
  std::atomic<bool> stop{false};
  std::atomic<int> errors{Work(1)};
  std::thread launching([&] {
    while (!stop) errors += Launch() != 0;
  });
  const int out = dup(1);
  if (freopen("/dev/null", "w", stdout) == nullptr) return 97;
  for (int i = 0; i < 40; ++i) {
    void* plugin = dlopen(getenv("HOSTILE_PLUGIN"), RTLD_NOW | RTLD_LOCAL);
    errors += plugin == nullptr || dlclose(plugin) != 0;
  }
  dup2(out, 1);
  close(out);
  stop = true;
  launching.join();
  Say("errors %d\n", errors.load());
  return 0;
}

// ---- Memory of another process

int ReadShared(const char* text) {
  cudaIpcMemHandle_t handle;
  for (size_t i = 0; i < sizeof(handle); ++i) {
    unsigned byte = 0;
    sscanf(text + 2 * i, "%2x", &byte);
    reinterpret_cast<unsigned char*>(&handle)[i] =
        static_cast<unsigned char>(byte);
  }
  void* memory = nullptr;
  int number = 0;
  const int opened = cudaIpcOpenMemHandle(&memory, handle,
                                          cudaIpcMemLazyEnablePeerAccess);
  const int copied = cudaMemcpy(&number, memory, sizeof(number),
                                cudaMemcpyDeviceToHost);
  Say("opened %d copied %d number %d closed %d\n", opened, copied, number,
      cudaIpcCloseMemHandle(memory));
  return 0;
}

int SharedMemory() {
  const char* given = getenv("HOSTILE_HANDLE");
  if (given != nullptr) return ReadShared(given);
  void* memory = nullptr;
  const int number = 4711;
  cudaMalloc(&memory, 1 << 21);
  cudaMemcpy(memory, &number, sizeof(number), cudaMemcpyHostToDevice);
  cudaIpcMemHandle_t handle;
  Say("handle %d\n", cudaIpcGetMemHandle(&handle, memory));
  std::string text;
  for (size_t i = 0; i < sizeof(handle); ++i) {
    char byte[3];
    snprintf(byte, sizeof(byte), "%02x",
             reinterpret_cast<unsigned char*>(&handle)[i]);
    text += byte;
  }
  setenv("HOSTILE_HANDLE", text.c_str(), 1);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "device", "shared_memory", nullptr);
    _exit(97);
  }
  int status = 0;
  waitpid(child, &status, 0);
  SayEnd("child", status);
  Say("free %d\n", cudaFree(memory));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  static const Mode kModes[] = {
      {"many_variants", ManyVariants},
      {"many_sizes", ManySizes},
      {"many_streams", ManyStreams},
      {"many_events", ManyEvents},
      {"long_names", LongNames},
      {"toggled", Toggled},
      {"graphs_that_go", GraphsThatGo},
      {"capture_left_open", CaptureLeftOpen},
      {"capture_of_a_thread_that_ends", CaptureOfAThreadThatEnds},
      {"capture_that_fails", CaptureThatFails},
      {"reset_again", ResetAgain},
      {"fails_for_good", FailsForGood},
      {"coroutines", Coroutines},
      {"wandering_coroutines", WanderingCoroutines},
      {"destructors", Destructors},
      {"many_handlers", ManyHandlers},
      {"host_functions", HostFunctions},
      {"small_stack_storm", SmallStackStorm},
      {"ranges_on_small_stacks", RangesOnSmallStacks},
      {"reload_storm", ReloadStorm},
      {"shared_memory", SharedMemory},
  };
  return RUN_MODE(kModes, argc, argv);
}
