// SPDX-License-Identifier: Apache-2.0
// Ranges by the older NVTX, which is a library, with registered strings.
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>

#include "tests/support/fake_vendor/fake_cuda.h"

int main(void) {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("OLD");
  nvtxEventAttributes_t attributes = {0};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  LaunchOne(&main);
  for (int i = 0; i < 2; ++i) {  // the second name was never registered
    attributes.message.registered =
        i == 0 ? nvtxDomainRegisterStringA(domain, "layer")
               : (nvtxStringHandle_t)(size_t)0x77777;
    printf("%d", nvtxRangePushEx(&attributes));
    printf("%d", nvtxDomainRangePushEx(domain, &attributes));
    LaunchOne(&main);
    printf("%d", nvtxDomainRangePop(domain));
    printf("%d\n", nvtxRangePop());
  }
  return 0;
}
