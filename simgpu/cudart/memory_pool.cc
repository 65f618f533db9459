// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/memory_pool.h"

#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/runtime_call.h"

namespace dltap::simgpu {
namespace {

// The driver refuses zero bytes, the runtime gives a null pointer.
Error GiveNull(void** address) {
  if (address == nullptr) return Error::kInvalidValue;
  *address = nullptr;
  return Error::kSuccess;
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t MallocAsync(void** address, size_t bytes, cudaStream_t stream) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    if (bytes == 0) return GiveNull(address);
    return FromDriver(driver.mem_alloc_async(
        reinterpret_cast<CUdeviceptr*>(address), bytes, stream));
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t MallocFromPool(void** address, size_t bytes, cudaMemPool_t pool,
                           cudaStream_t stream) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    if (bytes == 0) return GiveNull(address);
    return FromDriver(driver.mem_alloc_from_pool_async(
        reinterpret_cast<CUdeviceptr*>(address), bytes,
        reinterpret_cast<CUmemoryPool>(pool), stream));
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t FreeAsync(void* address, cudaStream_t stream) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    return FromDriver(
        driver.mem_free_async(reinterpret_cast<CUdeviceptr>(address), stream));
  });
}

template <ApiName kName, typename Body>
cudaError_t OnPool(cudaMemPool_t handle, Body body) {
  return Runtime<kName>(Needs::kContext, [&] {
    MemoryPool* pool = ToPool(handle);
    return pool == nullptr ? Error::kInvalidValue : body(*pool);
  });
}

template <ApiName kName>
cudaError_t PoolAt(cudaMemPool_t* out, const cudaMemLocation* location,
                   cudaMemAllocationType type,
                   Error (*find)(const PoolPlace&, MemoryPool**)) {
  return Runtime<kName>(Needs::kDriver, [&] {
    if (out == nullptr || location == nullptr) return Error::kInvalidValue;
    MemoryPool* pool = nullptr;
    const Error error = find({type, location->type, location->id}, &pool);
    if (error == Error::kSuccess) *out = ToHandle<cudaMemPool_t>(pool);
    return error;
  });
}

template <ApiName kName, typename Choose>
cudaError_t PoolOfDevice(cudaMemPool_t* out, int device, Choose choose) {
  return Runtime<kName>(Needs::kDriver, [&] {
    Device* found = FindDevice(device);
    if (found == nullptr) return Error::kInvalidDevice;
    if (out == nullptr) return Error::kInvalidValue;
    *out = ToHandle<cudaMemPool_t>(choose(*found));
    return Error::kSuccess;
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaMallocAsync(void** devPtr, size_t size, cudaStream_t stream) {
  return MallocAsync<"cudaMallocAsync">(devPtr, size, stream);
}

cudaError_t cudaMallocAsync_ptsz(void** devPtr, size_t size,
                                 cudaStream_t stream) {
  return MallocAsync<"cudaMallocAsync_ptsz", kPtsz>(devPtr, size, stream);
}

cudaError_t cudaMallocFromPoolAsync(void** ptr, size_t size,
                                    cudaMemPool_t memPool,
                                    cudaStream_t stream) {
  return MallocFromPool<"cudaMallocFromPoolAsync">(ptr, size, memPool, stream);
}

cudaError_t cudaMallocFromPoolAsync_ptsz(void** ptr, size_t size,
                                         cudaMemPool_t memPool,
                                         cudaStream_t stream) {
  return MallocFromPool<"cudaMallocFromPoolAsync_ptsz", kPtsz>(ptr, size,
                                                               memPool, stream);
}

cudaError_t cudaFreeAsync(void* devPtr, cudaStream_t hStream) {
  return FreeAsync<"cudaFreeAsync">(devPtr, hStream);
}

cudaError_t cudaFreeAsync_ptsz(void* devPtr, cudaStream_t hStream) {
  return FreeAsync<"cudaFreeAsync_ptsz", kPtsz>(devPtr, hStream);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* memPool, int device) {
  return PoolOfDevice<"cudaDeviceGetDefaultMemPool">(memPool, device,
                                                     DefaultPoolOf);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* memPool, int device) {
  return PoolOfDevice<"cudaDeviceGetMemPool">(memPool, device, CurrentPoolOf);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool) {
  return OnPool<"cudaDeviceSetMemPool">(memPool, [&](MemoryPool& pool) {
    return SetPoolAt(
        {cudaMemAllocationTypePinned, cudaMemLocationTypeDevice, device}, pool);
  });
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* memPool,
                                     cudaMemLocation* location,
                                     cudaMemAllocationType type) {
  return PoolAt<"cudaMemGetDefaultMemPool">(memPool, location, type,
                                            DefaultPoolAt);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t* memPool, cudaMemLocation* location,
                              cudaMemAllocationType type) {
  return PoolAt<"cudaMemGetMemPool">(memPool, location, type, CurrentPoolAt);
}

cudaError_t cudaMemSetMemPool(cudaMemLocation* location,
                              cudaMemAllocationType type,
                              cudaMemPool_t memPool) {
  return OnPool<"cudaMemSetMemPool">(memPool, [&](MemoryPool& pool) {
    if (location == nullptr) return Error::kInvalidValue;
    return SetPoolAt({type, location->type, location->id}, pool);
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* memPool,
                              const cudaMemPoolProps* poolProps) {
  return Runtime<"cudaMemPoolCreate">(Needs::kDriver, [&] {
    if (memPool == nullptr || poolProps == nullptr) return Error::kInvalidValue;
    PoolProperties properties{.max_bytes = poolProps->maxSize,
                              .handle_types = poolProps->handleTypes};
    const Error error =
        FindPoolPlace({poolProps->allocType, poolProps->location.type,
                       poolProps->location.id},
                      &properties);
    if (error != Error::kSuccess) return error;
    *memPool = ToHandle<cudaMemPool_t>(NewMemoryPool(properties));
    return Error::kSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool) {
  return OnPool<"cudaMemPoolDestroy">(
      memPool, [](MemoryPool& pool) { return DestroyMemoryPool(pool); });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep) {
  return OnPool<"cudaMemPoolTrimTo">(memPool, [&](MemoryPool& pool) {
    TrimPool(pool, minBytesToKeep);
    return Error::kSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, cudaMemPoolAttr attr,
                                    void* value) {
  return OnPool<"cudaMemPoolGetAttribute">(memPool, [&](MemoryPool& pool) {
    return GetPoolAttribute(pool, attr, value);
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, cudaMemPoolAttr attr,
                                    void* value) {
  return OnPool<"cudaMemPoolSetAttribute">(memPool, [&](MemoryPool& pool) {
    return SetPoolAttribute(pool, attr, value);
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool,
                                 const cudaMemAccessDesc* descList,
                                 size_t count) {
  return OnPool<"cudaMemPoolSetAccess">(memPool, [&](MemoryPool& pool) {
    if (descList == nullptr && count != 0) return Error::kInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      const cudaMemLocation& location = descList[i].location;
      if (location.type != cudaMemLocationTypeDevice) {
        return Error::kInvalidValue;
      }
      const Error error = SetPoolAccess(pool, location.id,
                                        static_cast<Access>(descList[i].flags));
      if (error != Error::kSuccess) return error;
    }
    return Error::kSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags,
                                 cudaMemPool_t memPool,
                                 cudaMemLocation* location) {
  return OnPool<"cudaMemPoolGetAccess">(memPool, [&](MemoryPool& pool) {
    if (flags == nullptr || location == nullptr) return Error::kInvalidValue;
    Access access = Access::kNone;
    const Error error = GetPoolAccess(pool, location->id, &access);
    if (error == Error::kSuccess) {
      *flags = static_cast<cudaMemAccessFlags>(access);
    }
    return error;
  });
}
