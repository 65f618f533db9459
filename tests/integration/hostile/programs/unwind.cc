// SPDX-License-Identifier: Apache-2.0
// unwind MODE: exceptions, jumps and cancellation that leave a vendor call half
// way. Linked to the stand-in vendor library, whose synchronizing call calls
// back.
#include <pthread.h>
#include <setjmp.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/support/fake_vendor/fake_cuda.h"

namespace {

jmp_buf g_back;
int g_destroyed = 0;

void Say(const char* format, ...) {
  char text[500];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  if (write(1, text, static_cast<size_t>(length)) < 0) return;
}

struct Guard {
  ~Guard() { ++g_destroyed; }
};

void Throw() { throw std::runtime_error("out of the call"); }
void ThrowNumber() { throw 42; }
void Jump() { longjmp(g_back, 1); }
void EndThread() { pthread_exit(&g_destroyed); }
void WaitForCancel() {
  for (;;) pause();
}
void Nested() {
  fakeCudaDuringSync(Throw);
  cudaStreamSynchronize(nullptr);
}

int Launches(int count) {
  int errors = 0;
  for (int i = 0; i < count; ++i) errors += LaunchOne(&g_back) != 0;
  return errors;
}

void Catch(void (*callback)()) {
  try {
    const Guard guard;
    fakeCudaDuringSync(callback);
    cudaStreamSynchronize(nullptr);
    Say("not thrown\n");
  } catch (const std::exception& error) {
    Say("caught %s\n", error.what());
  } catch (int number) {
    Say("caught %d\n", number);
  }
}

int Exceptions() {
  Say("launches %d\n", Launches(10));
  for (int i = 0; i < 1000; ++i) Catch(i % 2 != 0 ? Throw : ThrowNumber);
  Catch(Nested);
  Say("destroyed %d launches %d\n", g_destroyed, Launches(10));
  return 0;
}

int FirstCallThrows() {
  Catch(Throw);
  Say("destroyed %d launches %d\n", g_destroyed, Launches(10));
  return 0;
}

int InThreads() {
  Launches(3);
  for (int i = 0; i < 20; ++i) std::thread([] { Catch(Throw); }).join();
  Say("destroyed %d\n", g_destroyed);
  return 0;
}

int Uncaught() {
  Launches(10);
  fakeCudaDuringSync(Throw);
  cudaStreamSynchronize(nullptr);
  return 1;
}

int UncaughtInThread() {
  Launches(10);
  fakeCudaDuringSync(Throw);
  std::thread([] { cudaStreamSynchronize(nullptr); }).join();
  return 1;
}

void DoesNotThrow() noexcept { cudaStreamSynchronize(nullptr); }

int NoexceptFrame() {
  Launches(10);
  fakeCudaDuringSync(Throw);
  DoesNotThrow();
  return 1;
}

int Jumps() {
  Launches(10);
  volatile int jumps = 0;
  fakeCudaDuringSync(Jump);
  while (jumps < 2000) {
    if (setjmp(g_back) == 0) {
      cudaStreamSynchronize(nullptr);
    } else {
      jumps = jumps + 1;
    }
  }
  Say("jumps %d launches %d\n", jumps, Launches(10));
  return 0;
}

void Deeper(int levels) {
  volatile char room[200] = {};
  if (levels > 0) {
    Deeper(levels - 1);
  } else {
    Launches(1);
  }
  room[0] = 1;
}

int JumpsThenDeeper() {
  volatile int rounds = 0;
  while (rounds < 100) {
    rounds = rounds + 1;
    fakeCudaDuringSync(Jump);
    if (setjmp(g_back) == 0) cudaStreamSynchronize(nullptr);
    Deeper(50);
  }
  Say("launches %d\n", Launches(10));
  return 0;
}

void* Synchronize(void* argument) {
  const Guard guard;
  cudaStreamSynchronize(nullptr);
  return argument;
}

int ThreadEndsInside() {
  Launches(10);
  void* result = nullptr;
  for (int i = 0; i < 50; ++i) {
    pthread_t thread;
    fakeCudaDuringSync(EndThread);
    pthread_create(&thread, nullptr, Synchronize, nullptr);
    pthread_join(thread, &result);
  }
  Say("same %d destroyed %d\n", result == &g_destroyed, g_destroyed);
  return 0;
}

int CancelledInside() {
  Launches(10);
  int cancelled = 0;
  for (int i = 0; i < 50; ++i) {
    pthread_t thread;
    void* result = nullptr;
    fakeCudaDuringSync(WaitForCancel);
    pthread_create(&thread, nullptr, Synchronize, nullptr);
    usleep(500);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    cancelled += result == PTHREAD_CANCELED;
  }
  Say("cancelled %d destroyed %d\n", cancelled, g_destroyed);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const struct {
    const char* name;
    int (*run)();
  } modes[] = {
      {"exceptions", Exceptions},
      {"first_call_throws", FirstCallThrows},
      {"in_threads", InThreads},
      {"uncaught", Uncaught},
      {"uncaught_in_thread", UncaughtInThread},
      {"noexcept_frame", NoexceptFrame},
      {"jumps", Jumps},
      {"jumps_then_deeper", JumpsThenDeeper},
      {"thread_ends_inside", ThreadEndsInside},
      {"cancelled_inside", CancelledInside},
  };
  for (const auto& mode : modes) {
    if (argc > 1 && strcmp(mode.name, argv[1]) == 0) return mode.run();
  }
  return 98;
}
