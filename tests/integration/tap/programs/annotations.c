// SPDX-License-Identifier: Apache-2.0
// Names what it runs in NVTX ranges, but only once its annotations are on, as
// TensorFlow's library does: it exports the switch, and a profiler turns it.
#include <nvtx3/nvToolsExt.h>
#include <stdbool.h>

#include "tests/support/fake_vendor/fake_cuda.h"

static bool g_enabled;

void Enable(bool enable) __asm__("_ZN3tsl8profiler15AnnotationStack6EnableEb");
void Enable(bool enable) { g_enabled = enable; }

static void Run(nvtxDomainHandle_t domain, const char* operation) {
  nvtxEventAttributes_t attributes = {0};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = operation;
  if (g_enabled) nvtxDomainRangePushEx(domain, &attributes);
  LaunchOne(&Run);
  if (g_enabled) nvtxDomainRangePop(domain);
}

int main(void) {
  LaunchOne(&main);
  Run(nvtxDomainCreateA("private"), "model/Add:AddV2");
  Run(nvtxDomainCreateA("TSL"), "model/MatMul:MatMul");
  return 0;
}
