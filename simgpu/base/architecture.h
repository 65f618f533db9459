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

// The architecture of the code that a GPU runs, 10 * major + minor: the newest
// one not newer than the GPU that programs are built for, and that a release of
// CUDA still compiles for (`oldest`); it stands in on an older GPU, too. CUB
// looks its tuning up by it and refuses a version that it was not compiled for:
// PyTorch's wheels hold no code for sm_89, and those of CUDA 13 none for sm_70.
int CodeVersion(const opmodel::GpuSpec& gpu, int oldest);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_ARCHITECTURE_H_
