// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/launch.h"

#include "simgpu/driver/driver_body.h"
#include "simgpu/graph/graph_exec.h"

namespace dltap::simgpu {
namespace {

Error Launch(Stream& stream, CUfunction function,
             const LaunchParameters& parameters) {
  const Kernel* kernel = FromHandle<Kernel>(function);
  if (kernel == nullptr) return Error::kInvalidHandle;
  return LaunchKernel(*kernel, parameters, stream);
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

}  // namespace

namespace body {

Error LaunchKernel(CUfunction f, unsigned gridDimX, unsigned gridDimY,
                   unsigned gridDimZ, unsigned blockDimX, unsigned blockDimY,
                   unsigned blockDimZ, unsigned sharedMemBytes, Stream& stream,
                   void** kernelParams, void** /*extra*/) {
  return Launch(stream, f,
                {.grid = {gridDimX, gridDimY, gridDimZ},
                 .block = {blockDimX, blockDimY, blockDimZ},
                 .cluster = {0, 0, 0},
                 .dynamic_shared_bytes = sharedMemBytes,
                 .cooperative = false,
                 .arguments = kernelParams});
}

Error LaunchCooperativeKernel(CUfunction f, unsigned gridDimX,
                              unsigned gridDimY, unsigned gridDimZ,
                              unsigned blockDimX, unsigned blockDimY,
                              unsigned blockDimZ, unsigned sharedMemBytes,
                              Stream& stream, void** kernelParams) {
  return Launch(stream, f,
                {.grid = {gridDimX, gridDimY, gridDimZ},
                 .block = {blockDimX, blockDimY, blockDimZ},
                 .cluster = {0, 0, 0},
                 .dynamic_shared_bytes = sharedMemBytes,
                 .cooperative = true,
                 .arguments = kernelParams});
}

Error LaunchKernelEx(DefaultStream null, const CUlaunchConfig* config,
                     CUfunction f, void** arguments, void**) {
  if (config == nullptr) return Error::kInvalidValue;
  Stream* stream = ResolveStream(config->hStream, null);
  return stream == nullptr ? Error::kInvalidHandle
                           : Launch(*stream, f, FromConfig(*config, arguments));
}

Error GraphLaunch(CUgraphExec handle, Stream& stream) {
  return With<GraphExec>(
      handle, [&](GraphExec& exec) { return LaunchGraph(exec, stream); });
}

}  // namespace body
}  // namespace dltap::simgpu
