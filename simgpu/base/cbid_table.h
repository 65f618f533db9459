// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_CBID_TABLE_H_
#define DLTAP_SIMGPU_BASE_CBID_TABLE_H_

#include <cstdint>
#include <string_view>

#include "simgpu/base/api_function.h"

namespace dltap::simgpu {

// CUPTI's callback id of an exported symbol; 0: it has none. Generated from
// cupti_runtime_cbid.h and cupti_driver_cbid.h.
uint32_t CbidOf(ApiDomain domain, std::string_view symbol);

// CUPTI's name of an id, "cudaMalloc_v3020", "cuMemAlloc_v2"; null: unknown.
const char* NameOfCbid(ApiDomain domain, uint32_t cbid);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_CBID_TABLE_H_
