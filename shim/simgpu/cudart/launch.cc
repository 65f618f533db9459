// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/launch.h"

#include "shim/simgpu/cudart/conversions.h"
#include "shim/simgpu/cudart/runtime_call.h"
#include "shim/simgpu/device/capture.h"
#include "shim/simgpu/device/graph_exec.h"
#include "shim/simgpu/device/submit.h"

namespace dltap::simgpu {
namespace {

Error LaunchFunction(const void* function, const LaunchParameters& parameters,
                     Stream& stream) {
  const Kernel* kernel = ResolveKernel(function);
  if (kernel == nullptr) return Error::kInvalidDeviceFunction;
  return LaunchKernel(*kernel, parameters, stream);
}

struct Launch {
  const void* function;
  dim3 grid;
  dim3 block;
  void** arguments;
  size_t shared_bytes;
  cudaStream_t stream;
  bool cooperative = false;
};

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t LaunchOn(const Launch& launch) {
  return OnStream<kName, kNull>(launch.stream, [&](Stream& stream) {
    return LaunchFunction(launch.function,
                          {.grid = ToDim3(launch.grid),
                           .block = ToDim3(launch.block),
                           .cluster = {0, 0, 0},
                           .dynamic_shared_bytes = launch.shared_bytes,
                           .cooperative = launch.cooperative,
                           .arguments = launch.arguments},
                          stream);
  });
}

LaunchParameters FromConfig(const cudaLaunchConfig_t& config,
                            void** arguments) {
  LaunchParameters parameters{.grid = ToDim3(config.gridDim),
                              .block = ToDim3(config.blockDim),
                              .cluster = {0, 0, 0},
                              .dynamic_shared_bytes = config.dynamicSmemBytes,
                              .cooperative = false,
                              .arguments = arguments};
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == cudaLaunchAttributeClusterDimension) {
      const auto& cluster = attribute.val.clusterDim;
      parameters.cluster = {cluster.x, cluster.y, cluster.z};
    } else if (attribute.id == cudaLaunchAttributeCooperative) {
      parameters.cooperative = attribute.val.cooperative != 0;
    } else if (attribute.id ==
               cudaLaunchAttributeProgrammaticStreamSerialization) {
      parameters.programmatic =
          attribute.val.programmaticStreamSerializationAllowed != 0;
    }
  }
  return parameters;
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t LaunchEx(const cudaLaunchConfig_t* config, const void* function,
                     void** arguments) {
  if (config == nullptr) {
    return Runtime<kName>(Needs::kContext, [] { return Error::kInvalidValue; });
  }
  return OnStream<kName, kNull>(config->stream, [&](Stream& stream) {
    return LaunchFunction(function, FromConfig(*config, arguments), stream);
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t LaunchExec(cudaGraphExec_t handle, cudaStream_t stream_handle) {
  return OnStream<kName, kNull>(stream_handle, [&](Stream& stream) {
    GraphExec* exec = ToExec(handle);
    return exec == nullptr ? Error::kInvalidValue : LaunchGraph(*exec, stream);
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t LaunchHost(cudaStream_t handle, cudaHostFn_t function,
                       void* user_data) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (function == nullptr) return Error::kInvalidValue;
    return Submit(stream,
                  HostWork{[=] { function(user_data); }, function, user_data});
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t AddCallback(cudaStream_t handle, cudaStreamCallback_t callback,
                        void* user_data, unsigned flags) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (callback == nullptr || flags != 0) return Error::kInvalidValue;
    // Callbacks cannot be captured, host functions can.
    const Error captured = RefuseWhileCapturing(stream);
    if (captured != Error::kSuccess) return captured;
    return Submit(stream, HostWork{.function = [=] {
                    callback(handle, cudaSuccess, user_data);
                  }});
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
