// SPDX-License-Identifier: Apache-2.0
// NVTX ranges, marks and a domain, as frameworks use them, around launches.
// `forks`: by children that are forked inside ranges. `overlaps`: ranges that
// begin and end as requests to a server do. `hand_over`: by two threads in
// turn. `details`: with payloads, of which some say more in other strings.
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/fake_vendor/fake_cuda.h"

static void Launch(int count) {
  for (int i = 0; i < count; ++i) LaunchOne(&Launch);
}

// Each forks into the range, and leaves it before or after other work.
static void Child(int leaves_first, int is_started, nvtxRangeId_t id) {
  if (fork() != 0) {
    wait(NULL);
    return;
  }
  if (!leaves_first) Launch(3);
  if (is_started) {
    nvtxRangeEnd(id);
  } else {
    nvtxRangePop();
  }
  Launch(100);
  nvtxRangePushA("step");
  Launch(5);
  nvtxRangePop();
  _exit(0);
}

static int Forks(void) {
  nvtxRangePushA("step");
  Child(0, 0, 0);
  Child(1, 0, 0);
  nvtxRangePop();
  const nvtxRangeId_t id = nvtxRangeStartA("step");
  Child(0, 1, id);
  Child(1, 1, id);
  nvtxRangeEnd(id);
  return 0;
}

static int Overlaps(void) {
  Launch(100);
  const nvtxRangeId_t first = nvtxRangeStartA("step");
  Launch(1);
  const nvtxRangeId_t second = nvtxRangeStartA("step");
  Launch(2);
  nvtxRangeEnd(first);
  Launch(4);
  nvtxRangeEnd(first);  // of one that is over
  Launch(8);
  nvtxRangeEnd(second);
  Launch(100);
  return 0;
}

// A thread enters its range while another one leaves its own.
enum { kRounds = 3000 };
static pthread_barrier_t g_barrier;

static void* EnterInTurn(void* is_first) {
  for (int round = 0; round < kRounds; ++round) {
    const int is_mine = (round % 2 == 0) == (is_first != NULL);
    pthread_barrier_wait(&g_barrier);
    if (is_mine) {
      nvtxRangePushA("step");
    } else if (round > 0) {
      nvtxRangePop();
    }
    pthread_barrier_wait(&g_barrier);
    if (is_mine) Launch(1);
  }
  return NULL;
}

static int HandOver(void) {
  pthread_t other;
  pthread_barrier_init(&g_barrier, NULL, 2);
  pthread_create(&other, NULL, EnterInTurn, NULL);
  EnterInTurn(&g_barrier);
  pthread_join(other, NULL);
  return 0;
}

// What a compiler hands over with its instruction, as XLA does.
struct Annotation {
  const char* text;
  size_t bytes;
  nvtxStringHandle_t title;
  nvtxStringHandle_t instruction;
  nvtxStringHandle_t source;
  nvtxStringHandle_t called;
};

static void PushWith(nvtxDomainHandle_t domain, nvtxStringHandle_t title,
                     const void* payload, size_t bytes) {
  nvtxPayloadData_t data = {0, bytes, payload};
  nvtxEventAttributes_t attributes = {0};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = title;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_EXT;
  attributes.reserved0 = 1;
  attributes.payload.ullValue = (uint64_t)(uintptr_t)&data;
  nvtxDomainRangePushEx(domain, &attributes);
  Launch(1);
  nvtxDomainRangePop(domain);
}

// The computation is a dump of 400 KB with two names, one at its end.
static int Details(void) {
  static char dump[400 << 10];
  memset(dump, ' ', sizeof(dump) - 1);
  memcpy(dump, "c {", 3);
  memcpy(dump + 10000, "op_name=\"jit(f)/mul\"", 20);
  memcpy(dump + sizeof(dump) - 30, "op_name=\"jit(f)/add\"}", 21);
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("TSL");
  const char* title = "Thunk:#hlo_op=fusion#";
  struct Annotation one = {
      title,
      strlen(title),
      nvtxDomainRegisterStringA(domain, title),
      nvtxDomainRegisterStringA(domain, "fusion = f32[8] fusion(p)"),
      nvtxDomainRegisterStringA(domain, "- train.py:1:1[step]\n"),
      nvtxDomainRegisterStringA(domain, dump)};
  Launch(1);
  PushWith(domain, one.title, &one, sizeof(one));
  PushWith(domain, nvtxDomainRegisterStringA(domain, "no size"), &one,
           SIZE_MAX);
  PushWith(domain, nvtxDomainRegisterStringA(domain, "nowhere"), NULL, 48);
  const uint64_t numbers[] = {1, ~0ull, 0x1000, (uint64_t)one.instruction + 8,
                              (uint64_t)one.called + 3};
  PushWith(domain, nvtxDomainRegisterStringA(domain, "numbers"), numbers,
           sizeof(numbers));
  PushWith(domain, nvtxDomainRegisterStringA(domain, "odd"),
           (const char*)&one.instruction + 1, 7);
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "details") == 0) return Details();
  if (argc > 1 && strcmp(argv[1], "hand_over") == 0) return HandOver();
  if (argc > 1 && strcmp(argv[1], "overlaps") == 0) return Overlaps();
  if (argc > 1 && strcmp(argv[1], "forks") == 0) return Forks();
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("TSL");
  nvtxEventAttributes_t attributes = {0};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = nvtxDomainRegisterStringA(domain, "thunk");
  LaunchOne(&main);
  for (int step = 0; step < 3; ++step) {
    const int level = nvtxRangePushA("step");
    nvtxDomainRangePushEx(domain, &attributes);
    LaunchOne(&main);
    nvtxDomainRangePop(domain);
    if (step == 0) printf("level %d\n", level);
    nvtxRangePop();
  }
  const nvtxDomainHandle_t other = nvtxDomainCreateA("private");
  attributes.message.registered = nvtxDomainRegisterStringA(other, "layer");
  nvtxDomainRangePushEx(other, &attributes);
  nvtxDomainRangePop(other);
  nvtxDomainDestroy(other);
  nvtxRangePushW(L"caf\u00e9");
  nvtxRangePop();
  return 0;
}
