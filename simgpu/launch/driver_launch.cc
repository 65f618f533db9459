// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/driver_launch.h"

#include <dlfcn.h>

#include <cstdint>

#include "simgpu/base/api_scope.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/launch/kernel.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {
namespace {

// As cuda.h has them; its types stay out of the core.
using GetProcAddress = int (*)(const char* symbol, void** function, int version,
                               uint64_t flags, int* status);
using LaunchFunction = int (*)(void* function, unsigned grid_x, unsigned grid_y,
                               unsigned grid_z, unsigned block_x,
                               unsigned block_y, unsigned block_z,
                               unsigned shared_bytes, void* stream,
                               void** arguments, void** extra);
constexpr int kLaunchVersion = 4000;
constexpr uint64_t kLegacyStream = 1;

LaunchFunction DriverLaunch() {
  static const auto found = []() -> LaunchFunction {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver == nullptr) return nullptr;
    const auto get =
        reinterpret_cast<GetProcAddress>(dlsym(driver, "cuGetProcAddress_v2"));
    void* launch = nullptr;
    int status = 0;
    if (get != nullptr) {
      get("cuLaunchKernel", &launch, kLaunchVersion, kLegacyStream, &status);
    }
    return reinterpret_cast<LaunchFunction>(launch);
  }();
  return found;
}

}  // namespace

Error LaunchByDriver(void* stream, const LibraryKernel& kernel) {
  const LaunchFunction launch = DriverLaunch();
  if (launch == nullptr) return Error::kInsufficientDriver;
  ActivatePrimaryContext();
  void* arguments[] = {const_cast<LibraryKernel*>(&kernel)};
  const NestedCalls nested;
  const int result =
      launch(LibraryKernelHandle(kernel.name), kernel.grid.x, kernel.grid.y,
             kernel.grid.z, kernel.block.x, kernel.block.y, kernel.block.z,
             kernel.dynamic_shared_bytes, stream, arguments, nullptr);
  return result == 0 ? Error::kSuccess
                     : static_cast<Error>(CurrentThread().driver_error);
}

}  // namespace dltap::simgpu
