// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/memory_pool.h"

#include "simgpu/driver/driver_call.h"
#include "simgpu/graph/graph_memory.h"

namespace dltap::simgpu {
namespace {

MemoryPool* ToPool(CUmemoryPool handle) {
  return FromHandle<MemoryPool>(handle);
}

struct Request {
  CUdeviceptr* out;
  size_t bytes;
  bool has_pool = false;
  CUmemoryPool pool = nullptr;
};

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult AllocAsync(CUstream handle, const Request& request) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    MemoryPool* pool =
        request.has_pool ? ToPool(request.pool) : CurrentPoolOf(*stream.device);
    if (request.out == nullptr || pool == nullptr || request.bytes == 0) {
      return Error::kInvalidValue;
    }
    void* address = nullptr;
    const Error error =
        stream.capture.load() != nullptr
            ? CaptureAlloc(stream, *pool->device, request.bytes, &address)
            : AllocateFromPool(*pool, request.bytes, stream, &address);
    *request.out = ToAddress(address);
    return error;
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult FreeAsync(CUstream handle, CUdeviceptr address) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    return stream.capture.load() != nullptr
               ? CaptureFree(stream, ToPointer(address))
               : FreeInOrder(ToPointer(address), stream);
  });
}

template <ApiName kName>
CUresult PoolAt(CUmemoryPool* out, const CUmemLocation* location,
                CUmemAllocationType type,
                Error (*find)(const PoolPlace&, MemoryPool**)) {
  return Driver<kName>(DriverNeeds::kInit, [&] {
    if (out == nullptr || location == nullptr) return Error::kInvalidValue;
    MemoryPool* pool = nullptr;
    const Error error = find({type, location->type, location->id}, &pool);
    if (error == Error::kSuccess) *out = ToHandle<CUmemoryPool>(pool);
    return error;
  });
}

template <ApiName kName, typename Body>
CUresult OnPool(CUmemoryPool handle, Body body) {
  return Driver<kName>(DriverNeeds::kInit, [&] {
    MemoryPool* pool = ToPool(handle);
    return pool == nullptr ? Error::kInvalidValue : body(*pool);
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuMemAllocAsync(CUdeviceptr* dptr, size_t bytesize, CUstream hStream) {
  return AllocAsync<"cuMemAllocAsync">(hStream, {dptr, bytesize});
}

CUresult cuMemAllocAsync_ptsz(CUdeviceptr* dptr, size_t bytesize,
                              CUstream hStream) {
  return AllocAsync<"cuMemAllocAsync_ptsz", kPtsz>(hStream, {dptr, bytesize});
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* dptr, size_t bytesize,
                                 CUmemoryPool pool, CUstream hStream) {
  return AllocAsync<"cuMemAllocFromPoolAsync">(hStream,
                                               {dptr, bytesize, true, pool});
}

CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr* dptr, size_t bytesize,
                                      CUmemoryPool pool, CUstream hStream) {
  return AllocAsync<"cuMemAllocFromPoolAsync_ptsz", kPtsz>(
      hStream, {dptr, bytesize, true, pool});
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
  return FreeAsync<"cuMemFreeAsync">(hStream, dptr);
}

CUresult cuMemFreeAsync_ptsz(CUdeviceptr dptr, CUstream hStream) {
  return FreeAsync<"cuMemFreeAsync_ptsz", kPtsz>(hStream, dptr);
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool_out, CUdevice dev) {
  return OnDevice<"cuDeviceGetDefaultMemPool">(dev, [&](Device& device) {
    if (pool_out == nullptr) return Error::kInvalidValue;
    *pool_out = ToHandle<CUmemoryPool>(DefaultPoolOf(device));
    return Error::kSuccess;
  });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice dev) {
  return OnDevice<"cuDeviceGetMemPool">(dev, [&](Device& device) {
    if (pool == nullptr) return Error::kInvalidValue;
    *pool = ToHandle<CUmemoryPool>(CurrentPoolOf(device));
    return Error::kSuccess;
  });
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
  return OnPool<"cuDeviceSetMemPool">(pool, [&](MemoryPool& found) {
    return SetPoolAt(
        {CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE, dev},
        found);
  });
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool_out, CUmemLocation* location,
                                CUmemAllocationType type) {
  return PoolAt<"cuMemGetDefaultMemPool">(pool_out, location, type,
                                          DefaultPoolAt);
}

CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location,
                         CUmemAllocationType type) {
  return PoolAt<"cuMemGetMemPool">(pool, location, type, CurrentPoolAt);
}

CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type,
                         CUmemoryPool pool) {
  return OnPool<"cuMemSetMemPool">(pool, [&](MemoryPool& found) {
    if (location == nullptr) return Error::kInvalidValue;
    return SetPoolAt({type, location->type, location->id}, found);
  });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* poolProps) {
  return Driver<"cuMemPoolCreate">(DriverNeeds::kInit, [&] {
    if (pool == nullptr || poolProps == nullptr) return Error::kInvalidValue;
    PoolProperties properties{.max_bytes = poolProps->maxSize,
                              .handle_types = poolProps->handleTypes};
    const Error error =
        FindPoolPlace({poolProps->allocType, poolProps->location.type,
                       poolProps->location.id},
                      &properties);
    if (error != Error::kSuccess) return error;
    *pool = ToHandle<CUmemoryPool>(NewMemoryPool(properties));
    return Error::kSuccess;
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return OnPool<"cuMemPoolDestroy">(
      pool, [](MemoryPool& found) { return DestroyMemoryPool(found); });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep) {
  return OnPool<"cuMemPoolTrimTo">(pool, [&](MemoryPool& found) {
    TrimPool(found, minBytesToKeep);
    return Error::kSuccess;
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr,
                               void* value) {
  return OnPool<"cuMemPoolSetAttribute">(pool, [&](MemoryPool& found) {
    return SetPoolAttribute(found, attr, value);
  });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr,
                               void* value) {
  return OnPool<"cuMemPoolGetAttribute">(pool, [&](MemoryPool& found) {
    return GetPoolAttribute(found, attr, value);
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* map,
                            size_t count) {
  return OnPool<"cuMemPoolSetAccess">(pool, [&](MemoryPool& found) {
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

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool memPool,
                            CUmemLocation* location) {
  return OnPool<"cuMemPoolGetAccess">(memPool, [&](MemoryPool& pool) {
    if (flags == nullptr || location == nullptr) return Error::kInvalidValue;
    Access access = Access::kNone;
    const Error error = GetPoolAccess(pool, location->id, &access);
    if (error == Error::kSuccess) {
      *flags = static_cast<CUmemAccess_flags>(access);
    }
    return error;
  });
}
