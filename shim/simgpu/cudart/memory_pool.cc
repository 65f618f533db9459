// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/memory_pool.h"

#include "shim/simgpu/cudart/conversions.h"
#include "shim/simgpu/cudart/runtime_call.h"
#include "shim/simgpu/device/capture.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t MallocAsync(void** address, size_t bytes, MemoryPool* pool,
                        bool own_pool, cudaStream_t handle) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (address == nullptr || (own_pool && pool == nullptr)) {
      return Error::kInvalidValue;
    }
    MemoryPool& from = own_pool ? *pool : *stream.device->current_pool.load();
    const Error error = AllocateFromPool(from, bytes, stream, address);
    if (error == Error::kSuccess && stream.capture.load() != nullptr) {
      return CaptureNode(stream, {.type = GraphNodeType::kMemoryAlloc,
                                  .work = EmptyWork{},
                                  .child = nullptr});
    }
    return error;
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t FreeAsync(void* address, cudaStream_t handle) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    // A captured free gives nothing back: each launch uses the memory again.
    if (stream.capture.load() != nullptr) {
      return CaptureNode(stream, {.type = GraphNodeType::kMemoryFree,
                                  .work = EmptyWork{},
                                  .child = nullptr});
    }
    return FreeToPool(address, stream);
  });
}

template <ApiName kName, typename Body>
cudaError_t OnPool(cudaMemPool_t handle, Body body) {
  return Runtime<kName>(Needs::kContext, [&] {
    MemoryPool* pool = ToPool(handle);
    return pool == nullptr ? Error::kInvalidValue : body(*pool);
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
  return MallocAsync<"cudaMallocAsync">(devPtr, size, nullptr, false, stream);
}

cudaError_t cudaMallocAsync_ptsz(void** devPtr, size_t size,
                                 cudaStream_t stream) {
  return MallocAsync<"cudaMallocAsync_ptsz", kPtsz>(devPtr, size, nullptr,
                                                    false, stream);
}

cudaError_t cudaMallocFromPoolAsync(void** ptr, size_t size,
                                    cudaMemPool_t memPool,
                                    cudaStream_t stream) {
  return MallocAsync<"cudaMallocFromPoolAsync">(ptr, size, ToPool(memPool),
                                                true, stream);
}

cudaError_t cudaMallocFromPoolAsync_ptsz(void** ptr, size_t size,
                                         cudaMemPool_t memPool,
                                         cudaStream_t stream) {
  return MallocAsync<"cudaMallocFromPoolAsync_ptsz", kPtsz>(
      ptr, size, ToPool(memPool), true, stream);
}

cudaError_t cudaFreeAsync(void* devPtr, cudaStream_t hStream) {
  return FreeAsync<"cudaFreeAsync">(devPtr, hStream);
}

cudaError_t cudaFreeAsync_ptsz(void* devPtr, cudaStream_t hStream) {
  return FreeAsync<"cudaFreeAsync_ptsz", kPtsz>(devPtr, hStream);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* memPool, int device) {
  return PoolOfDevice<"cudaDeviceGetDefaultMemPool">(
      memPool, device, [](Device& d) { return d.default_pool; });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* memPool, int device) {
  return PoolOfDevice<"cudaDeviceGetMemPool">(
      memPool, device, [](Device& d) { return d.current_pool.load(); });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool) {
  return OnPool<"cudaDeviceSetMemPool">(memPool, [&](MemoryPool& pool) {
    Device* found = FindDevice(device);
    if (found == nullptr) return Error::kInvalidDevice;
    if (pool.device != found) return Error::kInvalidValue;
    found->current_pool.store(&pool);
    return Error::kSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* memPool,
                              const cudaMemPoolProps* poolProps) {
  return Runtime<"cudaMemPoolCreate">(Needs::kDriver, [&] {
    if (memPool == nullptr || poolProps == nullptr ||
        poolProps->location.type != cudaMemLocationTypeDevice) {
      return Error::kInvalidValue;
    }
    Device* device = FindDevice(poolProps->location.id);
    if (device == nullptr) return Error::kInvalidDevice;
    MemoryPool* pool = NewMemoryPool(*device);
    pool->max_bytes = poolProps->maxSize;
    *memPool = ToHandle<cudaMemPool_t>(pool);
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
  return OnPool<"cudaMemPoolSetAccess">(memPool, [&](MemoryPool&) {
    for (size_t i = 0; i < count; ++i) {
      if (FindDevice(descList[i].location.id) == nullptr) {
        return Error::kInvalidDevice;
      }
    }
    return Error::kSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags,
                                 cudaMemPool_t memPool,
                                 cudaMemLocation* location) {
  return OnPool<"cudaMemPoolGetAccess">(memPool, [&](MemoryPool&) {
    if (flags == nullptr || location == nullptr) return Error::kInvalidValue;
    *flags = cudaMemAccessFlagsProtReadWrite;
    return Error::kSuccess;
  });
}
