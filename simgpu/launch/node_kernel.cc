// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/node_kernel.h"

#include <mutex>
#include <string>
#include <unordered_map>

namespace dltap::simgpu {

Kernel* KernelOfNode(const KernelWork& work) {
  if (work.kernel != nullptr) return const_cast<Kernel*>(work.kernel);
  struct Named {
    std::mutex mutex;
    std::unordered_map<std::string, Kernel*> by_name;
  };
  static auto* const named = new Named;
  const std::lock_guard lock(named->mutex);
  Kernel*& kernel = named->by_name[work.name];
  if (kernel == nullptr) kernel = HandlePool<Kernel>::New(work.name, nullptr);
  return kernel;
}

}  // namespace dltap::simgpu
