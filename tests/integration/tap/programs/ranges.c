// SPDX-License-Identifier: Apache-2.0
// NVTX ranges, marks and a domain, as frameworks use them, around launches.
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>

#include "tests/support/fake_vendor/fake_cuda.h"

int main(void) {
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
  nvtxRangePushW(L"caf\u00e9");
  nvtxRangePop();
  return 0;
}
