// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_KERNEL_H_
#define DLTAP_SIMGPU_LAUNCH_KERNEL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simgpu/base/handle.h"
#include "simgpu/launch/kernel_parameter.h"

namespace dltap::simgpu {

class KernelMeaning;
struct Module;

// A device function. One object serves as cudaKernel_t, cudaFunction_t,
// CUkernel and CUfunction.
struct Kernel : Handle {
  static constexpr uint32_t kTag = 0x4b524e4c;  // "KRNL"
  Kernel(const char* mangled_name, Module* owner)
      : Handle(kTag), name(mangled_name), module(owner) {}
  ~Kernel();

  const char* name;  // lives as long as the kernel
  Module* const module;
  uint32_t registers_per_thread = 32;
  uint32_t static_shared_bytes = 0;
  std::atomic<int> max_dynamic_shared_bytes{48 * 1024};
  std::atomic<int> preferred_carveout{-1};
  std::atomic<bool> non_portable_cluster{false};
  int max_threads_per_block = 1024;
  bool parameters_known = false;
  std::vector<KernelParameter> parameters;
  // A simulated library's: its one argument is a LibraryKernel.
  bool takes_library_kernel = false;
  // Owned; null: not asked for yet, or there is none.
  mutable std::atomic<const KernelMeaning*> meaning{nullptr};
};

// Found at the kernel's first launch. Takes no lock.
const KernelMeaning* MeaningOf(const Kernel& kernel);

// Host stubs of the kernels that nvcc compiled into the program, registered by
// its static initialisers: tens of thousands at once, looked up at each launch.
// Lookup takes no lock.
void RegisterKernel(const void* host_stub, const char* name, int thread_limit);
void UnregisterKernel(const void* host_stub);
Kernel* FindKernel(const void* host_stub);

// The handle by which a simulated library launches its kernel of that name: one
// for each address, which must live for ever. Takes a lock at the first call.
Kernel* LibraryKernelHandle(const char* name);

// The kernel that a launch function's argument means: a host stub or a handle.
Kernel* ResolveKernel(const void* stub_or_handle);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_KERNEL_H_
