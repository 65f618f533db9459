// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_LIBRARY_CALL_H_
#define DLTAP_SIMGPU_LAUNCH_LIBRARY_CALL_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "opmodel/gpu_table.h"
#include "simgpu/base/api_scope.h"
#include "simgpu/base/error.h"
#include "simgpu/base/launch_geometry.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

// The door through which cuBLAS, cuDNN, NCCL and the rest use the core. They
// never call exported functions of one another unless the vendor's do.
//
// `stream` is the raw handle (cudaStream_t / CUstream): null and 1 are the
// legacy default stream of the current device, 2 the per-thread one.

// As which API call the launch appears to CUPTI: NVIDIA's libraries carry a
// static cudart (driver records) or link the shared one (runtime records).
enum class LaunchRoute : uint8_t { kRuntime, kDriver };

struct LibraryKernel {
  const char* name;  // must live for ever: a literal, or InternName()
  Dim3 grid{};
  Dim3 block{256, 1, 1};
  uint32_t dynamic_shared_bytes = 0;
  uint32_t registers_per_thread = 128;
  int64_t duration_ns = 0;  // 0: modelled from the geometry
  LaunchRoute route = LaunchRoute::kRuntime;
  // What the kernel does to memory, in stream order, possibly on another
  // thread and again at each replay of a graph; empty: nothing (the usual).
  std::function<void()> effect{};
  // What it does with other ranks (work.h); null: nothing.
  std::shared_ptr<const ExchangeStarter> exchange{};
};

// One kernel under an API record (and correlation id) of its own. Captured
// when the stream captures. Counts as a call of cuLaunchKernel, by address.
Error LaunchLibraryKernel(void* stream, const LibraryKernel& kernel);

// A memset a library puts on the stream (workspaces), as cudaMemsetAsync.
Error LibraryMemset(void* stream, void* address, int value, size_t bytes);

// The bytes now hold what a computation would have left there: the zero rule
// for small reads (memory_effects.h) lets them through.
void MarkWritten(const void* address, size_t bytes);

// A permanent copy of `name`; equal names give the same pointer.
const char* InternName(const char* name);

// The device of the stream, else the current one; its figures for opmodel.
const opmodel::GpuSpec& GpuOfStream(void* stream);
int DeviceOfStream(void* stream);
int CurrentDevice();

bool IsCapturing(void* stream);

// True when the address is in memory that a device may use without staging.
bool IsDeviceMemory(const void* address);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_LIBRARY_CALL_H_
