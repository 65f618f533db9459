// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/launch.h"

#include "simgpu/driver/driver_call.h"
#include "simgpu/graph/graph_exec.h"

namespace dltap::simgpu {
namespace {

Error LaunchFunction(CUfunction function, const LaunchParameters& parameters,
                     Stream& stream) {
  const Kernel* kernel = FromHandle<Kernel>(function);
  if (kernel == nullptr) return Error::kInvalidHandle;
  return LaunchKernel(*kernel, parameters, stream);
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult Launch(CUfunction function, CUstream handle,
                const LaunchParameters& parameters) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    return LaunchFunction(function, parameters, stream);
  });
}

LaunchParameters FromConfig(const CUlaunchConfig& config, void** arguments) {
  LaunchParameters parameters{
      .grid = {config.gridDimX, config.gridDimY, config.gridDimZ},
      .block = {config.blockDimX, config.blockDimY, config.blockDimZ},
      .cluster = {0, 0, 0},
      .dynamic_shared_bytes = config.sharedMemBytes,
      .cooperative = false,
      .arguments = arguments};
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto& cluster = attribute.value.clusterDim;
      parameters.cluster = {cluster.x, cluster.y, cluster.z};
    } else if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
      parameters.cooperative = attribute.value.cooperative != 0;
    } else if (attribute.id ==
               CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) {
      parameters.programmatic =
          attribute.value.programmaticStreamSerializationAllowed != 0;
    }
  }
  return parameters;
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult LaunchEx(const CUlaunchConfig* config, CUfunction function,
                  void** arguments) {
  if (config == nullptr) {
    return Driver<kName>(DriverNeeds::kContext,
                         [] { return Error::kInvalidValue; });
  }
  return Launch<kName, kNull>(function, config->hStream,
                              FromConfig(*config, arguments));
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult LaunchExec(CUgraphExec handle, CUstream stream_handle) {
  return OnStream<kName, kNull>(stream_handle, [&](Stream& stream) {
    GraphExec* exec = FromHandle<GraphExec>(handle);
    return exec == nullptr ? Error::kInvalidValue : LaunchGraph(*exec, stream);
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX,
                        unsigned int gridDimY, unsigned int gridDimZ,
                        unsigned int blockDimX, unsigned int blockDimY,
                        unsigned int blockDimZ, unsigned int sharedMemBytes,
                        CUstream hStream, void** kernelParams,
                        void** /*extra*/) {
  return Launch<"cuLaunchKernel">(f, hStream,
                                  {.grid = {gridDimX, gridDimY, gridDimZ},
                                   .block = {blockDimX, blockDimY, blockDimZ},
                                   .cluster = {0, 0, 0},
                                   .dynamic_shared_bytes = sharedMemBytes,
                                   .cooperative = false,
                                   .arguments = kernelParams});
}

CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned int gridDimX,
                             unsigned int gridDimY, unsigned int gridDimZ,
                             unsigned int blockDimX, unsigned int blockDimY,
                             unsigned int blockDimZ,
                             unsigned int sharedMemBytes, CUstream hStream,
                             void** kernelParams, void** /*extra*/) {
  return Launch<"cuLaunchKernel_ptsz", kPtsz>(
      f, hStream,
      {.grid = {gridDimX, gridDimY, gridDimZ},
       .block = {blockDimX, blockDimY, blockDimZ},
       .cluster = {0, 0, 0},
       .dynamic_shared_bytes = sharedMemBytes,
       .cooperative = false,
       .arguments = kernelParams});
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX,
                                   unsigned int gridDimY, unsigned int gridDimZ,
                                   unsigned int blockDimX,
                                   unsigned int blockDimY,
                                   unsigned int blockDimZ,
                                   unsigned int sharedMemBytes,
                                   CUstream hStream, void** kernelParams) {
  return Launch<"cuLaunchCooperativeKernel">(
      f, hStream,
      {.grid = {gridDimX, gridDimY, gridDimZ},
       .block = {blockDimX, blockDimY, blockDimZ},
       .cluster = {0, 0, 0},
       .dynamic_shared_bytes = sharedMemBytes,
       .cooperative = true,
       .arguments = kernelParams});
}

CUresult cuLaunchCooperativeKernel_ptsz(
    CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
    unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
    unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
    void** kernelParams) {
  return Launch<"cuLaunchCooperativeKernel_ptsz", kPtsz>(
      f, hStream,
      {.grid = {gridDimX, gridDimY, gridDimZ},
       .block = {blockDimX, blockDimY, blockDimZ},
       .cluster = {0, 0, 0},
       .dynamic_shared_bytes = sharedMemBytes,
       .cooperative = true,
       .arguments = kernelParams});
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f,
                          void** kernelParams, void**) {
  return LaunchEx<"cuLaunchKernelEx">(config, f, kernelParams);
}

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction f,
                               void** kernelParams, void**) {
  return LaunchEx<"cuLaunchKernelEx_ptsz", kPtsz>(config, f, kernelParams);
}

CUresult cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream) {
  return LaunchExec<"cuGraphLaunch">(hGraphExec, hStream);
}

CUresult cuGraphLaunch_ptsz(CUgraphExec hGraphExec, CUstream hStream) {
  return LaunchExec<"cuGraphLaunch_ptsz", kPtsz>(hGraphExec, hStream);
}
