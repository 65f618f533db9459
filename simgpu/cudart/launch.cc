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

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t LaunchOn(const Launch& launch) {
  return ByDriverOnStream<kName, kNull>(
      [&](const DriverStreamTable& driver) { return Submit(driver, launch); });
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

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t LaunchEx(const cudaLaunchConfig_t* config, const void* function,
                     void** arguments) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    return config == nullptr ? Error::kInvalidValue
                             : Submit(driver, *config, function, arguments);
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t LaunchExec(cudaGraphExec_t exec, cudaStream_t stream) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    return FromDriver(
        driver.graph_launch(reinterpret_cast<CUgraphExec>(exec), stream));
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t LaunchHost(cudaStream_t stream, cudaHostFn_t function,
                       void* user_data) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    return FromDriver(driver.launch_host_func(stream, function, user_data));
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t AddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                        void* user_data, unsigned flags) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    // The two types of callback differ in the name of the error's type.
    return FromDriver(driver.stream_add_callback(
        stream, reinterpret_cast<CUstreamCallback>(callback), user_data,
        flags));
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void** args, size_t shared,
                               cudaStream_t stream) {
  return LaunchOn<"__cudaLaunchKernel">(
      {kernel, grid, block, args, shared, stream});
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block,
                                    void** args, size_t shared,
                                    cudaStream_t stream) {
  return LaunchOn<"__cudaLaunchKernel_ptsz", kPtsz>(
      {kernel, grid, block, args, shared, stream});
}

cudaError_t cudaLaunchKernel(const void* func, dim3 grid, dim3 block,
                             void** args, size_t shared, cudaStream_t stream) {
  return LaunchOn<"cudaLaunchKernel">(
      {func, grid, block, args, shared, stream});
}

cudaError_t cudaLaunchKernel_ptsz(const void* func, dim3 grid, dim3 block,
                                  void** args, size_t shared,
                                  cudaStream_t stream) {
  return LaunchOn<"cudaLaunchKernel_ptsz", kPtsz>(
      {func, grid, block, args, shared, stream});
}

cudaError_t cudaLaunchCooperativeKernel(const void* func, dim3 grid, dim3 block,
                                        void** args, size_t shared,
                                        cudaStream_t stream) {
  return LaunchOn<"cudaLaunchCooperativeKernel">(
      {func, grid, block, args, shared, stream, true});
}

cudaError_t cudaLaunchCooperativeKernel_ptsz(const void* func, dim3 grid,
                                             dim3 block, void** args,
                                             size_t shared,
                                             cudaStream_t stream) {
  return LaunchOn<"cudaLaunchCooperativeKernel_ptsz", kPtsz>(
      {func, grid, block, args, shared, stream, true});
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config,
                                const void* func, void** args) {
  return LaunchEx<"cudaLaunchKernelExC">(config, func, args);
}

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config,
                                     const void* func, void** args) {
  return LaunchEx<"cudaLaunchKernelExC_ptsz", kPtsz>(config, func, args);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return LaunchExec<"cudaGraphLaunch">(graphExec, stream);
}

cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t graphExec,
                                 cudaStream_t stream) {
  return LaunchExec<"cudaGraphLaunch_ptsz", kPtsz>(graphExec, stream);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn,
                               void* userData) {
  return LaunchHost<"cudaLaunchHostFunc">(stream, fn, userData);
}

cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t fn,
                                    void* userData) {
  return LaunchHost<"cudaLaunchHostFunc_ptsz", kPtsz>(stream, fn, userData);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  cudaStreamCallback_t callback, void* userData,
                                  unsigned int flags) {
  return AddCallback<"cudaStreamAddCallback">(stream, callback, userData,
                                              flags);
}

cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream,
                                       cudaStreamCallback_t callback,
                                       void* userData, unsigned int flags) {
  return AddCallback<"cudaStreamAddCallback_ptsz", kPtsz>(stream, callback,
                                                          userData, flags);
}
