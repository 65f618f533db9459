// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDART_ARRAY_FORMAT_H_
#define DLTAP_SIMGPU_CUDART_ARRAY_FORMAT_H_

#include "simgpu/cudart/runtime_header.h"

namespace dltap::simgpu {

// What an element is: numbered as CUarray_format.
struct ElementFormat {
  unsigned format = 0;
  unsigned channels = 0;
};

// False: no array has such elements.
bool ReadChannels(const cudaChannelFormatDesc& desc, ElementFormat* element);
cudaChannelFormatDesc ChannelsOf(const ElementFormat& element);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDART_ARRAY_FORMAT_H_
