// SPDX-License-Identifier: Apache-2.0
// runtimes MODE: what languages and their run-time libraries do around calls:
// destructors of every kind, allocators of the program's own, coroutines,
// recovery from exhausted stacks, addresses of functions.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <coroutine>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <future>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/hostile/programs/host_state.h"

namespace {

std::atomic<long> g_news{0};

}  // namespace

// The program counts its objects.
void* operator new(size_t bytes) {
  ++g_news;
  if (void* memory = malloc(bytes != 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { free(memory); }
void operator delete(void* memory, size_t) noexcept { free(memory); }

namespace {

int CountsItsObjects() {
  Work(3);
  const long before = g_news;
  for (int i = 0; i < 2000; ++i) {
    int device = 0;
    cudaGetDevice(&device);
    cudaGetLastError();
  }
  Say("objects %ld\n", g_news - before);
  return 0;
}

// ---- Destructors

struct LaunchesAtItsEnd {
  const char* name;
  bool says;
  ~LaunchesAtItsEnd() {
    const int error = Launch();
    if (says) Say("%s launches %d\n", name, error);
  }
};

int DestructorsOfThreads() {
  static thread_local LaunchesAtItsEnd of_main = {"main", true};
  (void)&of_main;
  Say("work %d\n", Work(3));
  for (int i = 0; i < 100; ++i) {
    std::thread([] {
      static thread_local LaunchesAtItsEnd end = {"thread", false};
      (void)&end;
      Launch();
    }).join();
  }
  WorkAWhile(5);
  return 0;
}

// The first call of the process is that of a destructor.
int FirstCallInADestructor() {
  std::thread([] {
    static thread_local LaunchesAtItsEnd end = {"thread", true};
    (void)&end;
  }).join();
  Say("work %d\n", Work(3));
  return 0;
}

int FirstCallInAnExitHandler() {
  atexit([] { Say("at exit %d\n", Work(20)); });
  return 4;
}

int AbortsInADestructor() {
  static struct Aborts {
    ~Aborts() {
      Launch();
      abort();
    }
  } aborts;
  (void)&aborts;
  return Work(20);
}

int TerminateHandlerLaunches() {
  std::set_terminate([] {
    Say("terminate %d\n", Work(3));
    _exit(9);
  });
  Say("work %d\n", Work(3));
  std::thread([] {
    Launch();
    throw std::runtime_error("of a thread");
  }).join();
  return 0;
}

int ThrowsInAnExitHandler() {
  std::set_terminate([] {
    Launch();
    Say("terminated\n");
    abort();
  });
  atexit([] {
    Launch();
    throw 1;
  });
  return Work(3);
}

void* ExitsNow(void* barrier) {
  pthread_barrier_wait(static_cast<pthread_barrier_t*>(barrier));
  Launch();
  exit(6);
}
int ManyExitAtOnce() {
  static pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 8);
  Say("work %d\n", Work(3));
  for (int i = 0; i < 8; ++i) {
    pthread_t thread;
    pthread_create(&thread, nullptr, ExitsNow, &barrier);
  }
  for (;;) pause();
}

// ---- Stacks

sigjmp_buf g_overflowed;
void AfterOverflow(int) { siglongjmp(g_overflowed, 1); }

[[gnu::noinline]] int Deeper(volatile char* above) {
  volatile char here[300];
  here[0] = above[0];
  int device = 0;
  cudaGetDevice(&device);
  return Deeper(here) + here[0] + device;
}

// As interpreters that catch endless recursion: the stack ends inside a call,
// at another place each time.
int StackEndsInsideCalls() {
  static char alternate[64 << 10];
  const stack_t stack = {
      .ss_sp = alternate, .ss_flags = 0, .ss_size = sizeof(alternate)};
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = AfterOverflow;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  SetLimit(3 /* RLIMIT_STACK */, 512 << 10);
  Say("work %d\n", Work(3));
  static volatile int caught = 0;
  for (int i = 0; i < 40; ++i) {
    volatile char* room = static_cast<char*>(alloca(16 * (i + 1)));
    room[0] = 0;
    if (sigsetjmp(g_overflowed, 1) == 0) {
      Deeper(room);
    } else {
      caught = caught + 1;
    }
  }
  Say("caught %d, work %d\n", caught, Work(20));
  WorkAWhile(10);
  return 0;
}

// ---- Coroutines of the language, resumed by whatever thread is free

struct Task {
  struct promise_type {
    Task get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};
Task LaunchesStepByStep(int steps, std::atomic<int>& errors) {
  for (int i = 0; i < steps; ++i) {
    errors += Launch() != 0;
    co_await std::suspend_always{};
  }
}
int LanguageCoroutines() {
  std::atomic<int> errors{Work(3)};
  std::vector<Task> tasks;
  for (int i = 0; i < 64; ++i) tasks.push_back(LaunchesStepByStep(50, errors));
  for (int round = 0; round <= 50; ++round) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&tasks, t, round] {
        for (size_t i = 0; i < tasks.size(); ++i) {
          const bool is_mine =
              (i + static_cast<size_t>(round)) % 4 == static_cast<size_t>(t);
          if (is_mine && !tasks[i].handle.done()) tasks[i].handle.resume();
        }
      });
    }
    for (auto& thread : threads) thread.join();
  }
  for (Task& task : tasks) task.handle.destroy();
  Say("errors %d\n", errors.load());
  return 0;
}

int Futures() {
  std::vector<std::future<int>> futures;
  for (int i = 0; i < 200; ++i) {
    futures.push_back(std::async(std::launch::async, [] {
      for (int k = 0; k < 5; ++k) Launch();
      if (FailingCall() != 0) throw std::runtime_error("refused");
      return 0;
    }));
  }
  int thrown = 0;
  for (auto& future : futures) {
    try {
      future.get();
    } catch (const std::exception&) {
      ++thrown;
    }
  }
  Say("thrown %d\n", thrown);
  SayState("futures");
  return 0;
}

// ---- Addresses

// One function has one address, however it is found.
int OneAddress() {
  void* library = dlopen("libcudart.so.13", RTLD_NOW | RTLD_NOLOAD);
  const auto here = reinterpret_cast<void*>(&cudaGetDevice);
  Say("library %d, by default %d, by handle %d\n", library != nullptr,
      dlsym(RTLD_DEFAULT, "cudaGetDevice") == here,
      library == nullptr ||
          dlsym(library, "cudaGetDevice") == dlsym(library, "cudaGetDevice"));
  return Work(3);
}

// A thunk that a program writes itself: calls have no frame that anybody
// knows, and return into memory of no file.
int GeneratedCode() {
  unsigned char* code = static_cast<unsigned char*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (code == MAP_FAILED) return 97;
  // sub $8,%rsp; mov $f,%rax; call *%rax; add $8,%rsp; ret
  const unsigned char before[] = {0x48, 0x83, 0xec, 0x08, 0x48, 0xb8};
  const unsigned char behind[] = {0xff, 0xd0, 0x48, 0x83, 0xc4, 0x08, 0xc3};
  Say("work %d\n", Work(3));
  int errors = 0;
  for (int i = 0; i < 200; ++i) {
    unsigned char* at = code + 32 * (i % 100);
    void* target = reinterpret_cast<void*>(
        i % 2 == 0 ? reinterpret_cast<int (*)()>(&cudaDeviceSynchronize)
                   : &Launch);
    memcpy(at, before, sizeof(before));
    memcpy(at + 6, &target, 8);
    memcpy(at + 14, behind, sizeof(behind));
    errors += reinterpret_cast<int (*)()>(at)() != 0;
  }
  munmap(code, 4096);
  Say("errors %d, work %d\n", errors, Work(20));
  return 0;
}

// Return addresses signed or saved elsewhere look like this: the caller has
// put its stack pointer into memory that it owns, with nothing above.
alignas(16) char g_small[32 << 10];
int CallOnOwnStack(int (*function)()) {
  char* top = g_small + sizeof(g_small);
  int result;
  asm volatile(
      "mov %%rsp, %%rbx\n\tmov %[top], %%rsp\n\tcall *%[function]\n\t"
      "mov %%rbx, %%rsp"
      : "=a"(result)
      : [top] "r"(top), [function] "r"(function)
      : "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory",
        "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
  return result;
}
int StackInTheProgram() {
  int errors = CallOnOwnStack(&Launch) != 0;
  Say("first %d\n", errors);
  errors += Work(3);
  for (int i = 0; i < 2000; ++i) errors += CallOnOwnStack(&Launch) != 0;
  Say("errors %d\n", errors);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  static const Mode kModes[] = {
      {"counts_its_objects", CountsItsObjects},
      {"destructors_of_threads", DestructorsOfThreads},
      {"first_call_in_a_destructor", FirstCallInADestructor},
      {"first_call_in_an_exit_handler", FirstCallInAnExitHandler},
      {"aborts_in_a_destructor", AbortsInADestructor},
      {"terminate_handler_launches", TerminateHandlerLaunches},
      {"throws_in_an_exit_handler", ThrowsInAnExitHandler},
      {"many_exit_at_once", ManyExitAtOnce},
      {"stack_ends_inside_calls", StackEndsInsideCalls},
      {"language_coroutines", LanguageCoroutines},
      {"futures", Futures},
      {"one_address", OneAddress},
      {"generated_code", GeneratedCode},
      {"stack_in_the_program", StackInTheProgram},
  };
  return RUN_MODE(kModes, argc, argv);
}
