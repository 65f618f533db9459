// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/memory_pool.h"

#include "simgpu/driver/driver_body.h"
#include "simgpu/graph/graph_memory.h"
#include "simgpu/memory/memory_pool_attributes.h"
#include "simgpu/memory/memory_pool_place.h"

namespace dltap::simgpu {
namespace {

MemoryPool* ToPool(CUmemoryPool handle) {
  return FromHandle<MemoryPool>(handle);
}

Error Allocate(Stream& stream, MemoryPool* pool, size_t bytes,
               CUdeviceptr* out) {
  if (out == nullptr || pool == nullptr || bytes == 0) {
    return Error::kInvalidValue;
  }
  void* address = nullptr;
  const Error error = stream.capture.load() != nullptr
                          ? CaptureAlloc(stream, *pool->device, bytes, &address)
                          : AllocateFromPool(*pool, bytes, stream, &address);
  *out = ToAddress(address);
  return error;
}

Error PoolAt(CUmemoryPool* out, const CUmemLocation* location,
             CUmemAllocationType type,
             Error (*find)(const PoolPlace&, MemoryPool**)) {
  if (out == nullptr || location == nullptr) return Error::kInvalidValue;
  MemoryPool* pool = nullptr;
  const Error error = find({type, location->type, location->id}, &pool);
  if (error == Error::kSuccess) *out = ToHandle<CUmemoryPool>(pool);
  return error;
}

}  // namespace

namespace body {

Error MemAllocAsync(CUdeviceptr* out, size_t bytes, Stream& stream) {
  return Allocate(stream, CurrentPoolOf(*stream.device), bytes, out);
}

Error MemAllocFromPoolAsync(CUdeviceptr* out, size_t bytes, CUmemoryPool pool,
                            Stream& stream) {
  return Allocate(stream, ToPool(pool), bytes, out);
}

Error MemFreeAsync(CUdeviceptr address, Stream& stream) {
  return stream.capture.load() != nullptr
             ? CaptureFree(stream, ToPointer(address))
             : FreeInOrder(ToPointer(address), stream);
}

Error DeviceGetDefaultMemPool(CUmemoryPool* out, CUdevice ordinal) {
  return WithDevice(ordinal, [&](Device& device) {
    return Give(out, ToHandle<CUmemoryPool>(DefaultPoolOf(device)));
  });
}

Error DeviceGetMemPool(CUmemoryPool* out, CUdevice ordinal) {
  return WithDevice(ordinal, [&](Device& device) {
    return Give(out, ToHandle<CUmemoryPool>(CurrentPoolOf(device)));
  });
}

Error DeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
  return With<MemoryPool>(pool, [&](MemoryPool& found) {
    return SetPoolAt(
        {CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE, dev},
        found);
  });
}

Error MemGetDefaultMemPool(CUmemoryPool* pool_out, CUmemLocation* location,
                           CUmemAllocationType type) {
  return PoolAt(pool_out, location, type, DefaultPoolAt);
}

Error MemGetMemPool(CUmemoryPool* pool, CUmemLocation* location,
                    CUmemAllocationType type) {
  return PoolAt(pool, location, type, CurrentPoolAt);
}

Error MemSetMemPool(CUmemLocation* location, CUmemAllocationType type,
                    CUmemoryPool pool) {
  return With<MemoryPool>(pool, [&](MemoryPool& found) {
    if (location == nullptr) return Error::kInvalidValue;
    return SetPoolAt({type, location->type, location->id}, found);
  });
}

Error MemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* poolProps) {
  if (pool == nullptr || poolProps == nullptr) return Error::kInvalidValue;
  PoolProperties properties{.max_bytes = poolProps->maxSize,
                            .handle_types = poolProps->handleTypes};
  const Error error = FindPoolPlace(
      {poolProps->allocType, poolProps->location.type, poolProps->location.id},
      &properties);
  if (error != Error::kSuccess) return error;
  *pool = ToHandle<CUmemoryPool>(NewMemoryPool(properties));
  return Error::kSuccess;
}

Error MemPoolDestroy(CUmemoryPool pool) {
  return With<MemoryPool>(pool, DestroyMemoryPool);
}

Error MemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep) {
  return With<MemoryPool>(pool, [&](MemoryPool& found) {
    TrimPool(found, minBytesToKeep);
    return Error::kSuccess;
  });
}

Error MemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr,
                          void* value) {
  return With<MemoryPool>(pool, [&](MemoryPool& found) {
    return SetPoolAttribute(found, attr, value);
  });
}

Error MemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr,
                          void* value) {
  return With<MemoryPool>(pool, [&](MemoryPool& found) {
    return GetPoolAttribute(found, attr, value);
  });
}

Error MemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* map,
                       size_t count) {
  return With<MemoryPool>(pool, [&](MemoryPool& found) {
    if (map == nullptr && count != 0) return Error::kInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      if (map[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
        return Error::kInvalidValue;
      }
      const Error error = SetPoolAccess(found, map[i].location.id,
                                        static_cast<Access>(map[i].flags));
      if (error != Error::kSuccess) return error;
    }
    return Error::kSuccess;
  });
}

Error MemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool memPool,
                       CUmemLocation* location) {
  return With<MemoryPool>(memPool, [&](MemoryPool& pool) {
    if (flags == nullptr || location == nullptr) return Error::kInvalidValue;
    Access access = Access::kNone;
    const Error error = GetPoolAccess(pool, location->id, &access);
    if (error == Error::kSuccess) {
      *flags = static_cast<CUmemAccess_flags>(access);
    }
    return error;
  });
}

}  // namespace body
}  // namespace dltap::simgpu
