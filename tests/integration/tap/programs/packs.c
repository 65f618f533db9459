// SPDX-License-Identifier: Apache-2.0
// packs MODE: runs a convolution of cuDNN's backend API.
//   early  its plan and pack are there before anything starts a session
//   window they are made while recording is off, by the profiler API
//   fork   a child uses its parent's, too
//   kill   the program kills itself afterwards
//   fails  the execution fails
//   shared four threads lock one pack, set it and execute it 500 times each
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/fake_vendor/fake_cuda.h"

enum { kPlan = 5, kForward = 10, kGraph = 15, kPack = 16, kTensor = 17 };
enum { kTypeOfType = 1, kInt64 = 3, kPointer = 6, kDescriptor = 15 };

static int g_handle;
static void* g_plan;
static void* g_pack;
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;

static void* Create(int type) {
  void* descriptor = NULL;
  cudnnBackendCreateDescriptor(type, &descriptor);
  return descriptor;
}

static void SetDescriptor(void* of, int name, void* value) {
  cudnnBackendSetAttribute(of, name, kDescriptor, 1, &value);
}

static void* Tensor(int64_t uid) {
  static const int64_t dims[] = {8, 64, 32, 32};
  const int type = 0;
  void* tensor = Create(kTensor);
  cudnnBackendSetAttribute(tensor, 901, kTypeOfType, 1, &type);
  cudnnBackendSetAttribute(tensor, 902, kInt64, 4, dims);
  cudnnBackendSetAttribute(tensor, 906, kInt64, 1, &uid);
  return tensor;
}

static void SetPointers(uintptr_t x) {
  const uintptr_t pointers[] = {x, x + 1, x + 2};
  cudnnBackendSetAttribute(g_pack, 1001, kPointer, 3, pointers);
}

static void Make(void) {
  static const int64_t uids[] = {1, 2, 3};
  void* convolution = Create(kForward);
  SetDescriptor(convolution, 704, Tensor(1));
  SetDescriptor(convolution, 703, Tensor(2));
  SetDescriptor(convolution, 705, Tensor(3));
  void* graph = Create(kGraph);
  SetDescriptor(graph, 801, convolution);
  g_plan = Create(kPlan);
  SetDescriptor(g_plan, 401, graph);
  g_pack = Create(kPack);
  SetPointers(0x1000);
  cudnnBackendSetAttribute(g_pack, 1000, kInt64, 3, uids);
}

static void Execute(void) { cudnnBackendExecute(&g_handle, g_plan, g_pack); }

static void* ExecuteShared(void* first) {
  for (uintptr_t i = 0; i < 500; ++i) {
    pthread_mutex_lock(&g_lock);
    SetPointers((uintptr_t)first + i * 16);
    Execute();
    pthread_mutex_unlock(&g_lock);
  }
  return NULL;
}

static void Share(void) {
  pthread_t threads[4];
  for (uintptr_t i = 0; i < 4; ++i) {
    pthread_create(&threads[i], NULL, ExecuteShared, (void*)((i + 1) << 32));
  }
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  Make();
  LaunchOne((void*)&main);
  if (strcmp(mode, "window") == 0) cudaProfilerStart();
  if (strcmp(mode, "fails") == 0) cudnnBackendExecute(NULL, g_plan, g_pack);
  if (strcmp(mode, "shared") == 0) {
    Share();
  } else {
    Execute();
  }
  if (strcmp(mode, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) {
      LaunchOne((void*)&main);
      SetPointers(0x7000);
      Execute();
      return 0;
    }
    waitpid(child, NULL, 0);
  }
  if (strcmp(mode, "kill") == 0) raise(SIGKILL);
  return 0;
}
