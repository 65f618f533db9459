// SPDX-License-Identifier: Apache-2.0
// Attributes of functions and kernels, occupancy.
#include <algorithm>

#include "simgpu/base/architecture.h"
#include "simgpu/driver/driver_call.h"
#include "simgpu/launch/kernel_attributes.h"
#include "simgpu/launch/kernel_occupancy.h"
#include "simgpu/launch/module.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName, typename Body>
CUresult OnKernel(const void* handle, Body body) {
  return Driver<kName>(DriverNeeds::kInit, [&] {
    Kernel* kernel = FromHandle<Kernel>(handle);
    return kernel == nullptr ? Error::kInvalidHandle : body(*kernel);
  });
}

Error GetAttribute(const Kernel& kernel, CUfunction_attribute attribute,
                   const Device& device, int* value) {
  if (value == nullptr) return Error::kInvalidValue;
  const int version = device.gpu.compute_major * 10 + device.gpu.compute_minor;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = kernel.max_threads_per_block;
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(kernel.static_shared_bytes);
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = static_cast<int>(kernel.registers_per_thread);
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = version; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = kernel.max_dynamic_shared_bytes.load();
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = kernel.preferred_carveout.load();
      break;
    default:
      if (attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX) {
        return Error::kInvalidValue;
      }
      *value = 0;
  }
  return Error::kSuccess;
}

template <ApiName kName>
CUresult ActiveBlocks(int* blocks, CUfunction function, int block_size,
                      size_t shared_bytes) {
  return OnKernel<kName>(function, [&](const Kernel& kernel) {
    if (blocks == nullptr || block_size <= 0) return Error::kInvalidValue;
    *blocks = MaxActiveBlocks(kernel, block_size, shared_bytes,
                              CurrentDeviceState().gpu);
    return Error::kSuccess;
  });
}

template <ApiName kName>
CUresult PotentialBlockSize(int* min_grid, int* block, CUfunction function,
                            CUoccupancyB2DSize shared_of_block,
                            size_t shared_bytes, int limit) {
  return OnKernel<kName>(function, [&](const Kernel& kernel) {
    if (min_grid == nullptr || block == nullptr) return Error::kInvalidValue;
    const BestBlock best = FindBestBlock(
        kernel,
        [&](int size) {
          return shared_of_block == nullptr ? shared_bytes
                                            : shared_of_block(size);
        },
        limit, CurrentDeviceState().gpu);
    *min_grid = best.min_grid_blocks;
    *block = best.threads_per_block;
    return Error::kSuccess;
  });
}

template <ApiName kName>
CUresult NameOf(const char** name, const void* handle) {
  return OnKernel<kName>(handle, [&](const Kernel& kernel) {
    if (name == nullptr) return Error::kInvalidValue;
    *name = kernel.name;
    return Error::kSuccess;
  });
}

ClusterLaunch ClusterLaunchOf(const CUlaunchConfig& config) {
  ClusterLaunch launch{
      .cluster = {0, 0, 0},
      .grid = {config.gridDimX, config.gridDimY, config.gridDimZ},
      .block = {config.blockDimX, config.blockDimY, config.blockDimZ},
      .dynamic_shared_bytes = config.sharedMemBytes};
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config.attrs[i];
    if (attribute.id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
    const auto& d = attribute.value.clusterDim;
    launch.cluster = {d.x, d.y, d.z};
  }
  return launch;
}

template <ApiName kName>
CUresult ParamInfo(const void* handle, size_t index, size_t* offset,
                   size_t* bytes) {
  return OnKernel<kName>(handle, [&](const Kernel& kernel) {
    return ParameterOf(kernel, index, offset, bytes);
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuFuncGetAttribute(int* pi, CUfunction_attribute attrib,
                            CUfunction hfunc) {
  return OnKernel<"cuFuncGetAttribute">(hfunc, [&](const Kernel& kernel) {
    return GetAttribute(kernel, attrib, CurrentDeviceState(), pi);
  });
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib,
                            int value) {
  return OnKernel<"cuFuncSetAttribute">(hfunc, [&](Kernel& kernel) {
    return SetKernelAttribute(kernel, attrib, value, CurrentDeviceState());
  });
}

CUresult cuKernelGetAttribute(int* pi, CUfunction_attribute attrib,
                              CUkernel kernel, CUdevice dev) {
  return OnKernel<"cuKernelGetAttribute">(kernel, [&](const Kernel& found) {
    const Device* device = FindDevice(dev);
    return device == nullptr ? Error::kInvalidDevice
                             : GetAttribute(found, attrib, *device, pi);
  });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val,
                              CUkernel kernel, CUdevice dev) {
  return OnKernel<"cuKernelSetAttribute">(kernel, [&](Kernel& found) {
    const Device* device = FindDevice(dev);
    return device == nullptr ? Error::kInvalidDevice
                             : SetKernelAttribute(found, attrib, val, *device);
  });
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache) {
  return OnKernel<"cuFuncSetCacheConfig">(
      hfunc, [](const Kernel&) { return Error::kSuccess; });
}

CUresult cuFuncGetModule(CUmodule* hmod, CUfunction hfunc) {
  return OnKernel<"cuFuncGetModule">(hfunc, [&](const Kernel& kernel) {
    if (hmod == nullptr) return Error::kInvalidValue;
    *hmod = ToHandle<CUmodule>(kernel.module);
    return Error::kSuccess;
  });
}

CUresult cuFuncGetName(const char** name, CUfunction hfunc) {
  return NameOf<"cuFuncGetName">(name, hfunc);
}

CUresult cuKernelGetName(const char** name, CUkernel hfunc) {
  return NameOf<"cuKernelGetName">(name, hfunc);
}

CUresult cuKernelGetFunction(CUfunction* pFunc, CUkernel kernel) {
  return OnKernel<"cuKernelGetFunction">(kernel, [&](Kernel& found) {
    if (pFunc == nullptr) return Error::kInvalidValue;
    *pFunc = ToHandle<CUfunction>(&found);
    return Error::kSuccess;
  });
}

CUresult cuKernelGetLibrary(CUlibrary* pLib, CUkernel kernel) {
  return OnKernel<"cuKernelGetLibrary">(kernel, [&](const Kernel& found) {
    if (pLib == nullptr) return Error::kInvalidValue;
    *pLib = ToHandle<CUlibrary>(found.module);
    return Error::kSuccess;
  });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  return OnKernel<"cuFuncIsLoaded">(function, [&](const Kernel&) {
    if (state == nullptr) return Error::kInvalidValue;
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return Error::kSuccess;
  });
}

CUresult cuFuncLoad(CUfunction function) {
  return OnKernel<"cuFuncLoad">(function,
                                [](const Kernel&) { return Error::kSuccess; });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks,
                                                     CUfunction func,
                                                     int blockSize,
                                                     size_t dynamicSMemSize) {
  return ActiveBlocks<"cuOccupancyMaxActiveBlocksPerMultiprocessor">(
      numBlocks, func, blockSize, dynamicSMemSize);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize,
    unsigned int) {
  return ActiveBlocks<"cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags">(
      numBlocks, func, blockSize, dynamicSMemSize);
}

CUresult cuOccupancyMaxPotentialBlockSize(
    int* minGridSize, int* blockSize, CUfunction func,
    CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
    int blockSizeLimit) {
  return PotentialBlockSize<"cuOccupancyMaxPotentialBlockSize">(
      minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize,
      blockSizeLimit);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(
    int* minGridSize, int* blockSize, CUfunction func,
    CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
    int blockSizeLimit, unsigned int) {
  return PotentialBlockSize<"cuOccupancyMaxPotentialBlockSizeWithFlags">(
      minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize,
      blockSizeLimit);
}

CUresult cuOccupancyMaxPotentialClusterSize(int* clusterSize, CUfunction func,
                                            const CUlaunchConfig* config) {
  return OnKernel<"cuOccupancyMaxPotentialClusterSize">(
      func, [&](const Kernel& kernel) {
        if (clusterSize == nullptr || config == nullptr) {
          return Error::kInvalidValue;
        }
        *clusterSize = MaxClusterSize(kernel, CurrentDeviceState());
        return Error::kSuccess;
      });
}

CUresult cuOccupancyMaxActiveClusters(int* numClusters, CUfunction func,
                                      const CUlaunchConfig* config) {
  return OnKernel<"cuOccupancyMaxActiveClusters">(
      func, [&](const Kernel& kernel) {
        if (config == nullptr) return Error::kInvalidValue;
        return MaxActiveClusters(kernel, ClusterLaunchOf(*config),
                                 CurrentDeviceState(), numClusters);
      });
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize,
                                                 CUfunction func, int numBlocks,
                                                 int blockSize) {
  return OnKernel<"cuOccupancyAvailableDynamicSMemPerBlock">(
      func, [&](const Kernel& kernel) {
        return AvailableSharedBytes(kernel, numBlocks, blockSize,
                                    CurrentDeviceState(), dynamicSmemSize);
      });
}

CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex,
                            size_t* paramOffset, size_t* paramSize) {
  return ParamInfo<"cuFuncGetParamInfo">(func, paramIndex, paramOffset,
                                         paramSize);
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex,
                              size_t* paramOffset, size_t* paramSize) {
  return ParamInfo<"cuKernelGetParamInfo">(kernel, paramIndex, paramOffset,
                                           paramSize);
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache, CUdevice dev) {
  return OnKernel<"cuKernelSetCacheConfig">(kernel, [&](const Kernel&) {
    return FindDevice(dev) == nullptr ? Error::kInvalidDevice : Error::kSuccess;
  });
}
