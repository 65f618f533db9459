// SPDX-License-Identifier: Apache-2.0
// Attributes of kernels, occupancy, device variables.
#include <algorithm>

#include "simgpu/base/architecture.h"
#include "simgpu/base/config.h"
#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/device_variables.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/launch/kernel.h"
#include "simgpu/launch/kernel_attributes.h"
#include "simgpu/launch/kernel_occupancy.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName, typename Body>
cudaError_t OnKernel(const void* function, Body body) {
  return Runtime<kName>(Needs::kContext, [&] {
    Kernel* kernel = ResolveKernel(function);
    return kernel == nullptr ? Error::kInvalidDeviceFunction : body(*kernel);
  });
}

template <ApiName kName>
cudaError_t ActiveBlocks(int* blocks, const void* function, int block_size,
                         size_t shared_bytes) {
  return OnKernel<kName>(function, [&](const Kernel& kernel) {
    if (blocks == nullptr || block_size <= 0) return Error::kInvalidValue;
    *blocks = MaxActiveBlocks(kernel, block_size, shared_bytes,
                              CurrentDeviceState().gpu);
    return Error::kSuccess;
  });
}

void FillAttributes(const Kernel& kernel, const Device& device,
                    cudaFuncAttributes& attributes) {
  const opmodel::GpuSpec& gpu = device.gpu;
  const int version = CodeVersion(gpu, GetConfig().oldest_compute);
  attributes = {};
  attributes.sharedSizeBytes = kernel.static_shared_bytes;
  attributes.maxThreadsPerBlock = kernel.max_threads_per_block;
  attributes.numRegs = static_cast<int>(kernel.registers_per_thread);
  attributes.ptxVersion = version;
  attributes.binaryVersion = version;
  attributes.maxDynamicSharedSizeBytes = kernel.max_dynamic_shared_bytes.load();
  attributes.preferredShmemCarveout = kernel.preferred_carveout.load();
}

ClusterLaunch ClusterLaunchOf(const cudaLaunchConfig_t& config) {
  ClusterLaunch launch{.cluster = {0, 0, 0},
                       .grid = ToDim3(config.gridDim),
                       .block = ToDim3(config.blockDim),
                       .dynamic_shared_bytes = config.dynamicSmemBytes};
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    if (config.attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
    const auto& d = config.attrs[i].val.clusterDim;
    launch.cluster = {d.x, d.y, d.z};
  }
  return launch;
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr, const void* func) {
  return OnKernel<"cudaFuncGetAttributes">(func, [&](const Kernel& kernel) {
    if (attr == nullptr) return Error::kInvalidValue;
    FillAttributes(kernel, CurrentDeviceState(), *attr);
    return Error::kSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* func, cudaFuncAttribute attr,
                                 int value) {
  return OnKernel<"cudaFuncSetAttribute">(func, [&](Kernel& kernel) {
    return SetKernelAttribute(kernel, attr, value, CurrentDeviceState());
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* func, cudaFuncCache) {
  return OnKernel<"cudaFuncSetCacheConfig">(
      func, [](const Kernel&) { return Error::kSuccess; });
}

cudaError_t cudaFuncGetName(const char** name, const void* func) {
  return OnKernel<"cudaFuncGetName">(func, [&](const Kernel& kernel) {
    if (name == nullptr) return Error::kInvalidValue;
    *name = kernel.name;
    return Error::kSuccess;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* functionPtr,
                                const void* symbolPtr) {
  return OnKernel<"cudaGetFuncBySymbol">(symbolPtr, [&](Kernel& kernel) {
    if (functionPtr == nullptr) return Error::kInvalidValue;
    *functionPtr = ToHandle<cudaFunction_t>(&kernel);
    return Error::kSuccess;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t* kernelPtr, const void* entryFuncAddr) {
  return OnKernel<"cudaGetKernel">(entryFuncAddr, [&](Kernel& kernel) {
    if (kernelPtr == nullptr) return Error::kInvalidValue;
    *kernelPtr = ToHandle<cudaKernel_t>(&kernel);
    return Error::kSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int* numBlocks, const void* func, int blockSize, size_t dynamicSMemSize) {
  return ActiveBlocks<"cudaOccupancyMaxActiveBlocksPerMultiprocessor">(
      numBlocks, func, blockSize, dynamicSMemSize);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* numBlocks, const void* func, int blockSize, size_t dynamicSMemSize,
    unsigned int) {
  return ActiveBlocks<"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags">(
      numBlocks, func, blockSize, dynamicSMemSize);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize,
                                                      const void* func,
                                                      int numBlocks,
                                                      int blockSize) {
  return OnKernel<"cudaOccupancyAvailableDynamicSMemPerBlock">(
      func, [&](const Kernel& kernel) {
        return AvailableSharedBytes(kernel, numBlocks, blockSize,
                                    CurrentDeviceState(), dynamicSmemSize);
      });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(
    int* clusterSize, const void* func, const cudaLaunchConfig_t* config) {
  return OnKernel<"cudaOccupancyMaxPotentialClusterSize">(
      func, [&](const Kernel& kernel) {
        if (clusterSize == nullptr || config == nullptr) {
          return Error::kInvalidValue;
        }
        *clusterSize = MaxClusterSize(kernel, CurrentDeviceState());
        return Error::kSuccess;
      });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* numClusters, const void* func,
                                           const cudaLaunchConfig_t* config) {
  return OnKernel<"cudaOccupancyMaxActiveClusters">(
      func, [&](const Kernel& kernel) {
        if (config == nullptr) return Error::kInvalidValue;
        return MaxActiveClusters(kernel, ClusterLaunchOf(*config),
                                 CurrentDeviceState(), numClusters);
      });
}

cudaError_t cudaFuncGetParamInfo(const void* func, size_t paramIndex,
                                 size_t* paramOffset, size_t* paramSize) {
  return OnKernel<"cudaFuncGetParamInfo">(func, [&](const Kernel& kernel) {
    return ParameterOf(kernel, paramIndex, paramOffset, paramSize);
  });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                            cudaFuncAttribute attr, int value,
                                            int device) {
  return OnKernel<"cudaKernelSetAttributeForDevice">(
      kernel, [&](Kernel& found) {
        const Device* of = FindDevice(device);
        return of == nullptr ? Error::kInvalidDevice
                             : SetKernelAttribute(found, attr, value, *of);
      });
}

cudaError_t cudaGetSymbolAddress(void** devPtr, const void* symbol) {
  return Runtime<"cudaGetSymbolAddress">(Needs::kContext, [&] {
    VariablePlace place{};
    const Error error = FindVariable(ActiveDevice(), symbol, &place);
    if (error == Error::kSuccess) *devPtr = place.address;
    return error;
  });
}

cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return Runtime<"cudaGetSymbolSize">(Needs::kContext, [&] {
    VariablePlace place{};
    const Error error = FindVariable(ActiveDevice(), symbol, &place);
    if (error == Error::kSuccess) *size = place.bytes;
    return error;
  });
}
