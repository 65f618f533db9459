// SPDX-License-Identifier: Apache-2.0
// NVTX's types without its functions: those are what programs have.
#ifndef DLTAP_SIMGPU_CUPTI_NVTX_HEADER_H_
#define DLTAP_SIMGPU_CUPTI_NVTX_HEADER_H_

#ifndef NVTX_NO_IMPL
#define NVTX_NO_IMPL
#endif
#include <nvtx3/nvToolsExt.h>

#endif  // DLTAP_SIMGPU_CUPTI_NVTX_HEADER_H_
