// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_LIBRARY_CALL_H_
#define DLTAP_SIMGPU_LAUNCH_LIBRARY_CALL_H_

#include <cstddef>
#include <vector>

#include "opmodel/gpu_table.h"
#include "simgpu/base/api_scope.h"
#include "simgpu/base/error.h"
#include "simgpu/base/interned_name.h"
#include "simgpu/bytes/written_memory.h"
#include "simgpu/launch/library_kernel.h"

namespace dltap::simgpu {

// The door through which cuBLAS, cuDNN, NCCL and the rest use the core. They
// never call exported functions of one another unless the vendor's do.
//
// `stream` is the raw handle (cudaStream_t / CUstream): null and 1 are the
// legacy default stream of the current device, 2 the per-thread one.

// While it lives, what this thread launches below may write there, and nowhere
// else (null: not given). Without one a library's kernel may have written
// anywhere. The innermost counts.
class MayWrite {
 public:
  explicit MayWrite(std::vector<WriteTarget> targets);
  ~MayWrite();
  MayWrite(const MayWrite&) = delete;
  MayWrite& operator=(const MayWrite&) = delete;

 private:
  const std::vector<WriteTarget> targets_;
  const std::vector<WriteTarget>* const outer_;
};

// One kernel under an API record (and correlation id) of its own. Captured
// when the stream captures. Counts as a call of cuLaunchKernel, by address.
Error LaunchLibraryKernel(void* stream, const LibraryKernel& kernel);

// A memset a library puts on the stream (workspaces), as cudaMemsetAsync.
Error LibraryMemset(void* stream, void* address, int value, size_t bytes);

// The device of the stream, else the current one; its figures for opmodel.
const opmodel::GpuSpec& GpuOfStream(void* stream);
int DeviceOfStream(void* stream);

bool IsCapturing(void* stream);

// True when the address is in memory that a device may use without staging.
bool IsDeviceMemory(const void* address);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_LIBRARY_CALL_H_
