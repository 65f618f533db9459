// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/launch.h"

#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/graph/graph_exec.h"

namespace dltap::simgpu {
namespace {

struct Launch {
  const void* function;
  dim3 grid;
  dim3 block;
  void** arguments;
  size_t shared_bytes;
  cudaStream_t stream;
  bool cooperative = false;
};

Error Submit(const DriverStreamTable& driver, const Launch& launch) {
  const auto kernel = ToHandle<CUfunction>(ResolveKernel(launch.function));
  if (kernel == nullptr) return Error::kInvalidDeviceFunction;
  const auto shared_bytes = static_cast<unsigned>(launch.shared_bytes);
  if (shared_bytes != launch.shared_bytes) return Error::kInvalidValue;
  const dim3& grid = launch.grid;
  const dim3& block = launch.block;
  if (launch.cooperative) [[unlikely]] {
    return FromDriver(driver.launch_cooperative_kernel(
        kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared_bytes,
        launch.stream, launch.arguments));
  }
  return FromDriver(driver.launch_kernel(
      kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared_bytes,
      launch.stream, launch.arguments, nullptr));
}

// The attributes of both APIs are one type (driver_types.h, cuda.h).
static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(int{cudaLaunchAttributeClusterDimension} ==
              int{CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION});
static_assert(int{cudaLaunchAttributeCooperative} ==
              int{CU_LAUNCH_ATTRIBUTE_COOPERATIVE});
static_assert(int{cudaLaunchAttributeProgrammaticStreamSerialization} ==
              int{CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION});

Error Submit(const DriverStreamTable& driver, const cudaLaunchConfig_t& config,
             const void* function, void** arguments) {
  const auto kernel = ToHandle<CUfunction>(ResolveKernel(function));
  if (kernel == nullptr) return Error::kInvalidDeviceFunction;
  const CUlaunchConfig launch{
      .gridDimX = config.gridDim.x,
      .gridDimY = config.gridDim.y,
      .gridDimZ = config.gridDim.z,
      .blockDimX = config.blockDim.x,
      .blockDimY = config.blockDim.y,
      .blockDimZ = config.blockDim.z,
      .sharedMemBytes = static_cast<unsigned>(config.dynamicSmemBytes),
      .hStream = config.stream,
      .attrs = reinterpret_cast<CUlaunchAttribute*>(config.attrs),
      .numAttrs = config.numAttrs};
  if (launch.sharedMemBytes != config.dynamicSmemBytes) {
    return Error::kInvalidValue;
  }
  return FromDriver(
      driver.launch_kernel_ex(&launch, kernel, arguments, nullptr));
}

}  // namespace

namespace body {

Error LaunchKernel(const DriverStreamTable& driver, cudaKernel_t kernel,
                   dim3 grid, dim3 block, void** arguments, size_t shared,
                   cudaStream_t stream) {
  return Submit(driver, {kernel, grid, block, arguments, shared, stream});
}

Error LaunchKernel(const DriverStreamTable& driver, const void* function,
                   dim3 grid, dim3 block, void** arguments, size_t shared,
                   cudaStream_t stream) {
  return Submit(driver, {function, grid, block, arguments, shared, stream});
}

Error LaunchCooperativeKernel(const DriverStreamTable& driver,
                              const void* function, dim3 grid, dim3 block,
                              void** arguments, size_t shared,
                              cudaStream_t stream) {
  return Submit(driver,
                {function, grid, block, arguments, shared, stream, true});
}

Error LaunchKernelExC(const DriverStreamTable& driver,
                      const cudaLaunchConfig_t* config, const void* function,
                      void** arguments) {
  return config == nullptr ? Error::kInvalidValue
                           : Submit(driver, *config, function, arguments);
}

}  // namespace body
}  // namespace dltap::simgpu
