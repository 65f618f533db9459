// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/read_marks.h"

#include <nvtx3/nvToolsExt.h>

#include "simgpu/base/config.h"

namespace dltap::simgpu {

void MarkUncomputedRead(const char* place) {
  static nvtxDomainHandle_t const domain = nvtxDomainCreateA(
      GetConfig().plausible_seed.has_value() ? "dltap.simulation.plausible"
                                             : "dltap.simulation");
  nvtxEventAttributes_t event = {};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = place;
  nvtxDomainMarkEx(domain, &event);
}

}  // namespace dltap::simgpu
