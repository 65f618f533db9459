// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/injection.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>

namespace dltap::simgpu {

void LoadInjection() {
  static std::atomic<bool> done{false};
  if (done.exchange(true)) return;
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr || *path == '\0') return;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  const auto initialize =
      reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  if (initialize != nullptr) initialize();
}

}  // namespace dltap::simgpu
