// SPDX-License-Identifier: Apache-2.0
// Names what it runs in NVTX ranges, but only once its annotations are on, as
// TensorFlow's library does: it exports the switch, and a profiler turns it.
//
//     annotations [idle|fork]
//
// idle: the domain is made before any work of the GPU. fork: a child begins in
// a range that holds nothing yet.
#include <nvtx3/nvToolsExt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/fake_vendor/fake_cuda.h"

static bool g_enabled;

void Enable(bool enable) __asm__("_ZN3tsl8profiler15AnnotationStack6EnableEb");
void Enable(bool enable) { g_enabled = enable; }

static void Push(nvtxDomainHandle_t domain, const char* operation) {
  nvtxEventAttributes_t attributes = {0};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = operation;
  if (g_enabled) nvtxDomainRangePushEx(domain, &attributes);
}

static void Pop(nvtxDomainHandle_t domain) {
  if (g_enabled) nvtxDomainRangePop(domain);
}

static void Run(nvtxDomainHandle_t domain, const char* operation) {
  Push(domain, operation);
  LaunchOne(&Run);
  Pop(domain);
}

// Operations of TensorFlow, most of which start no work. The user's ranges are
// there whether they do or not.
static void RunGraph(nvtxDomainHandle_t tsl, nvtxDomainHandle_t users) {
  Push(tsl, "model/Shape:Shape");
  Pop(tsl);
  Push(tsl, "call:StatefulPartitionedCall");
  Push(tsl, "model/Const:Const");
  Pop(tsl);
  Run(tsl, "model/MatMul:MatMul");
  Push(tsl, "model/Identity:Identity");
  Pop(tsl);
  Pop(tsl);
  Push(users, "nothing");
  Pop(users);
}

static void RunInTwoProcesses(nvtxDomainHandle_t tsl) {
  Push(tsl, "call:StatefulPartitionedCall");
  const pid_t child = fork();
  Run(tsl, "model/MatMul:MatMul");
  Pop(tsl);
  if (child == 0) {
    RunGraph(tsl, tsl);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  nvtxDomainHandle_t users = nvtxDomainCreateA("private");
  if (strcmp(mode, "idle") != 0) Run(users, "model/Add:AddV2");
  nvtxDomainHandle_t tsl = nvtxDomainCreateA("TSL");
  if (strcmp(mode, "fork") == 0) RunInTwoProcesses(tsl);
  for (int i = 0; i < 3; ++i) RunGraph(tsl, users);
  printf("annotations %s\n", g_enabled ? "on" : "off");
  return 0;
}
