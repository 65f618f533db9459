// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/device_properties.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "simgpu/stream/device_attributes.h"

namespace dltap::simgpu {
namespace {

// Fields of cudaDeviceProp that are an attribute by another name.
struct IntField {
  size_t offset;
  cudaDeviceAttr attribute;
};

#define DLTAP_INT(field, attribute) \
  IntField { offsetof(cudaDeviceProp, field), cudaDevAttr##attribute }
constexpr IntField kIntFields[] = {
    DLTAP_INT(regsPerBlock, MaxRegistersPerBlock),
    DLTAP_INT(warpSize, WarpSize),
    DLTAP_INT(maxThreadsPerBlock, MaxThreadsPerBlock),
    DLTAP_INT(maxThreadsDim[0], MaxBlockDimX),
    DLTAP_INT(maxThreadsDim[1], MaxBlockDimY),
    DLTAP_INT(maxThreadsDim[2], MaxBlockDimZ),
    DLTAP_INT(maxGridSize[0], MaxGridDimX),
    DLTAP_INT(maxGridSize[1], MaxGridDimY),
    DLTAP_INT(maxGridSize[2], MaxGridDimZ),
    DLTAP_INT(major, ComputeCapabilityMajor),
    DLTAP_INT(minor, ComputeCapabilityMinor),
    DLTAP_INT(multiProcessorCount, MultiProcessorCount),
    DLTAP_INT(integrated, Integrated),
    DLTAP_INT(canMapHostMemory, CanMapHostMemory),
    DLTAP_INT(concurrentKernels, ConcurrentKernels),
    DLTAP_INT(ECCEnabled, EccEnabled),
    DLTAP_INT(pciBusID, PciBusId),
    DLTAP_INT(pciDeviceID, PciDeviceId),
    DLTAP_INT(pciDomainID, PciDomainId),
    DLTAP_INT(tccDriver, TccDriver),
    DLTAP_INT(asyncEngineCount, AsyncEngineCount),
    DLTAP_INT(unifiedAddressing, UnifiedAddressing),
    DLTAP_INT(memoryBusWidth, GlobalMemoryBusWidth),
    DLTAP_INT(l2CacheSize, L2CacheSize),
    DLTAP_INT(persistingL2CacheMaxSize, MaxPersistingL2CacheSize),
    DLTAP_INT(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor),
    DLTAP_INT(streamPrioritiesSupported, StreamPrioritiesSupported),
    DLTAP_INT(globalL1CacheSupported, GlobalL1CacheSupported),
    DLTAP_INT(localL1CacheSupported, LocalL1CacheSupported),
    DLTAP_INT(regsPerMultiprocessor, MaxRegistersPerMultiprocessor),
    DLTAP_INT(managedMemory, ManagedMemory),
    DLTAP_INT(isMultiGpuBoard, IsMultiGpuBoard),
    DLTAP_INT(multiGpuBoardGroupID, MultiGpuBoardGroupID),
    DLTAP_INT(hostNativeAtomicSupported, HostNativeAtomicSupported),
    DLTAP_INT(pageableMemoryAccess, PageableMemoryAccess),
    DLTAP_INT(concurrentManagedAccess, ConcurrentManagedAccess),
    DLTAP_INT(computePreemptionSupported, ComputePreemptionSupported),
    DLTAP_INT(canUseHostPointerForRegisteredMem,
              CanUseHostPointerForRegisteredMem),
    DLTAP_INT(cooperativeLaunch, CooperativeLaunch),
    DLTAP_INT(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor),
    DLTAP_INT(hostRegisterSupported, HostRegisterSupported),
    DLTAP_INT(hostRegisterReadOnlySupported, HostRegisterReadOnlySupported),
    DLTAP_INT(memoryPoolsSupported, MemoryPoolsSupported),
    DLTAP_INT(memoryPoolSupportedHandleTypes, MemoryPoolSupportedHandleTypes),
    DLTAP_INT(ipcEventSupported, IpcEventSupport),
    DLTAP_INT(clusterLaunch, ClusterLaunch),
    DLTAP_INT(maxTexture1D, MaxTexture1DWidth),
    DLTAP_INT(maxTexture1DMipmap, MaxTexture1DMipmappedWidth),
    DLTAP_INT(maxTexture2D[0], MaxTexture2DWidth),
    DLTAP_INT(maxTexture2D[1], MaxTexture2DHeight),
    DLTAP_INT(maxTexture2DMipmap[0], MaxTexture2DMipmappedWidth),
    DLTAP_INT(maxTexture2DMipmap[1], MaxTexture2DMipmappedHeight),
    DLTAP_INT(maxTexture2DLinear[0], MaxTexture2DLinearWidth),
    DLTAP_INT(maxTexture2DLinear[1], MaxTexture2DLinearHeight),
    DLTAP_INT(maxTexture2DLinear[2], MaxTexture2DLinearPitch),
    DLTAP_INT(maxTexture2DGather[0], MaxTexture2DGatherWidth),
    DLTAP_INT(maxTexture2DGather[1], MaxTexture2DGatherHeight),
    DLTAP_INT(maxTexture3D[0], MaxTexture3DWidth),
    DLTAP_INT(maxTexture3D[1], MaxTexture3DHeight),
    DLTAP_INT(maxTexture3D[2], MaxTexture3DDepth),
    DLTAP_INT(maxTexture3DAlt[0], MaxTexture3DWidthAlt),
    DLTAP_INT(maxTexture3DAlt[1], MaxTexture3DHeightAlt),
    DLTAP_INT(maxTexture3DAlt[2], MaxTexture3DDepthAlt),
    DLTAP_INT(maxTextureCubemap, MaxTextureCubemapWidth),
    DLTAP_INT(maxTexture1DLayered[0], MaxTexture1DLayeredWidth),
    DLTAP_INT(maxTexture1DLayered[1], MaxTexture1DLayeredLayers),
    DLTAP_INT(maxTexture2DLayered[0], MaxTexture2DLayeredWidth),
    DLTAP_INT(maxTexture2DLayered[1], MaxTexture2DLayeredHeight),
    DLTAP_INT(maxTexture2DLayered[2], MaxTexture2DLayeredLayers),
    DLTAP_INT(maxTextureCubemapLayered[0], MaxTextureCubemapLayeredWidth),
    DLTAP_INT(maxTextureCubemapLayered[1], MaxTextureCubemapLayeredLayers),
    DLTAP_INT(maxSurface1D, MaxSurface1DWidth),
    DLTAP_INT(maxSurface2D[0], MaxSurface2DWidth),
    DLTAP_INT(maxSurface2D[1], MaxSurface2DHeight),
    DLTAP_INT(maxSurface3D[0], MaxSurface3DWidth),
    DLTAP_INT(maxSurface3D[1], MaxSurface3DHeight),
    DLTAP_INT(maxSurface3D[2], MaxSurface3DDepth),
    DLTAP_INT(maxSurface1DLayered[0], MaxSurface1DLayeredWidth),
    DLTAP_INT(maxSurface1DLayered[1], MaxSurface1DLayeredLayers),
    DLTAP_INT(maxSurface2DLayered[0], MaxSurface2DLayeredWidth),
    DLTAP_INT(maxSurface2DLayered[1], MaxSurface2DLayeredHeight),
    DLTAP_INT(maxSurface2DLayered[2], MaxSurface2DLayeredLayers),
    DLTAP_INT(maxSurfaceCubemap, MaxSurfaceCubemapWidth),
    DLTAP_INT(maxSurfaceCubemapLayered[0], MaxSurfaceCubemapLayeredWidth),
    DLTAP_INT(maxSurfaceCubemapLayered[1], MaxSurfaceCubemapLayeredLayers),
    DLTAP_INT(deviceNumaId, NumaId),
    DLTAP_INT(hostNumaId, HostNumaId),
};
#undef DLTAP_INT

size_t Bytes(const Device& device, cudaDeviceAttr attribute) {
  return static_cast<size_t>(DeviceAttribute(device, attribute).value_or(0));
}

}  // namespace

void FillProperties(const Device& device, cudaDeviceProp& properties) {
  std::memset(&properties, 0, sizeof(properties));
  for (const IntField& field : kIntFields) {
    const int value = DeviceAttribute(device, field.attribute).value_or(0);
    std::memcpy(reinterpret_cast<char*>(&properties) + field.offset, &value,
                sizeof(value));
  }
  const size_t length =
      std::min(device.gpu.product.size(), sizeof(properties.name) - 1);
  std::memcpy(properties.name, device.gpu.product.data(), length);
  std::memcpy(&properties.uuid, device.uuid.data(), sizeof(properties.uuid));
  properties.totalGlobalMem = device.memory_bytes;
  properties.sharedMemPerBlock =
      Bytes(device, cudaDevAttrMaxSharedMemoryPerBlock);
  properties.sharedMemPerBlockOptin =
      Bytes(device, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  properties.sharedMemPerMultiprocessor =
      Bytes(device, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  properties.reservedSharedMemPerBlock =
      Bytes(device, cudaDevAttrReservedSharedMemoryPerBlock);
  properties.memPitch = Bytes(device, cudaDevAttrMaxPitch);
  properties.totalConstMem = Bytes(device, cudaDevAttrTotalConstantMemory);
  properties.textureAlignment = Bytes(device, cudaDevAttrTextureAlignment);
  properties.texturePitchAlignment =
      Bytes(device, cudaDevAttrTexturePitchAlignment);
  properties.surfaceAlignment = Bytes(device, cudaDevAttrSurfaceAlignment);
}

}  // namespace dltap::simgpu
