// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/semantic_kernels.h"

namespace dltap::simgpu {

std::function<void()> SemanticEffect(const Kernel&, const LaunchParameters&) {
  return {};
}

}  // namespace dltap::simgpu
