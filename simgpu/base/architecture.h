// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_ARCHITECTURE_H_
#define DLTAP_SIMGPU_BASE_ARCHITECTURE_H_

#include "opmodel/gpu_table.h"

namespace dltap::simgpu {

// Limits by compute capability: table "Technical Specifications per Compute
// Capability" of the CUDA programming guide.
struct Architecture {
  int compute;  // 10 * major + minor
  int shared_bytes_per_sm;
  int shared_bytes_per_block_optin;
  int reserved_shared_bytes_per_block;
  int max_threads_per_sm;
  int max_blocks_per_sm;
  int async_engines;
  int max_resident_grids;
};

// The row of the GPU's capability, or of the newest one that is not newer.
const Architecture& ArchitectureOf(const opmodel::GpuSpec& gpu);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_ARCHITECTURE_H_
