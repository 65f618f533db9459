// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_CUDA_API_NAMES_H_
#define DLTAP_ANALYZER_IMPORTERS_CUDA_API_NAMES_H_

#include <string_view>

#include "shim/specs/entry_point.h"

namespace dltap::analyzer {

// What programs call it: "cudaMemcpyAsync_v3020" (Nsight Systems) ->
// "cudaMemcpyAsync". Driver names such as cuMemAlloc_v2 keep their one-digit
// ABI version.
std::string_view WithoutToolVersion(std::string_view name);

// The entry of our specs for an API function, by its name in other tools:
// "cudaLaunchKernel_v7000" (Nsight Systems), "hipLaunchKernel" (ROCm, through
// its CUDA counterpart). nullptr: unknown.
const specs::EntryPointInfo* FindApi(std::string_view name);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_CUDA_API_NAMES_H_
