// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_KERNEL_MEANING_H_
#define DLTAP_SIMGPU_LAUNCH_KERNEL_MEANING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "opmodel/gpu_table.h"
#include "simgpu/base/launch_geometry.h"
#include "simgpu/bytes/written_memory.h"
#include "simgpu/launch/kernel_parameter.h"

namespace dltap::simgpu {

// What a launch does to memory, to be done at its turn in the stream and again
// at each replay of a graph.
using Effect = std::function<void()>;

// What a launch is given. Lives only as long as the call that gets it.
struct LaunchView {
  void* const* arguments;  // as in cuLaunchKernel; not null
  Dim3 grid;
  Dim3 block;
  const opmodel::GpuSpec& gpu;
  // As the kernel's image tells them; empty: it does not, or there are none.
  std::span<const KernelParameter> parameters{};
};

// What one launch does. As it is here: nothing is known.
struct LaunchMeaning {
  double bytes = 0;         // moved to and from device memory; 0: unknown
  int64_t duration_ns = 0;  // 0: modelled, from the bytes or the geometry
  Effect effect;            // empty: what it writes is not known,
  // but where; nullopt: anywhere.
  std::optional<std::vector<WriteTarget>> may_write;
};

// What the core does not know of a kernel: it sees names and bytes. Whoever
// understands the kernels of a framework provides this. Thread-safe; owned by
// the kernel, but effects may outlive it.
class KernelMeaning {
 public:
  virtual ~KernelMeaning() = default;
  // Arguments are believed for what the kernel's name says. Those that cannot
  // be (an impossible shape, a pointer to nowhere) mean nothing.
  virtual LaunchMeaning Read(const LaunchView& launch) const = 0;
};

// From a mangled name; never null. Asked at the first launch of each kernel.
using MeaningProvider = std::unique_ptr<KernelMeaning> (*)(const char* name);

// REQUIRES: nothing was launched yet. Without one no kernel means anything.
void SetMeaningProvider(MeaningProvider provider);

// The provider's; null without one.
std::unique_ptr<KernelMeaning> MakeKernelMeaning(const char* name);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_KERNEL_MEANING_H_
