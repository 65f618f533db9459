// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/kernel_meaning.h"

#include <atomic>

namespace dltap::simgpu {
namespace {

// Constant-initialized: may be set before any static initializer has run.
constinit std::atomic<MeaningProvider> g_provider{nullptr};

}  // namespace

void SetMeaningProvider(MeaningProvider provider) { g_provider = provider; }

std::unique_ptr<KernelMeaning> MakeKernelMeaning(const char* name) {
  const MeaningProvider provider = g_provider;
  return provider == nullptr ? nullptr : provider(name);
}

}  // namespace dltap::simgpu
