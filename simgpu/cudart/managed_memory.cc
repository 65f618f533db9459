// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/managed_memory.h"

#include "simgpu/cudart/runtime_call.h"

namespace dltap::simgpu {
namespace {

MemoryLocation Read(const cudaMemLocation& location) {
  return {static_cast<int>(location.type), location.id};
}

// One type by two names (driver_types.h, cuda.h).
static_assert(sizeof(cudaMemLocation) == sizeof(CUmemLocation));

CUmemLocation* ToLocations(cudaMemLocation* locations) {
  return reinterpret_cast<CUmemLocation*>(locations);
}

CUdeviceptr ToAddress(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

CUdeviceptr* ToAddresses(void** pointers) {
  return reinterpret_cast<CUdeviceptr*>(pointers);
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Prefetch(const void* address, size_t bytes,
                     cudaMemLocation location, unsigned flags,
                     cudaStream_t stream) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    return FromDriver(driver.mem_prefetch_async(
        ToAddress(address), bytes, *ToLocations(&location), flags, stream));
  });
}

struct Batch {
  void** addresses;
  size_t* bytes;
  size_t count;
  cudaMemLocation* locations;
  size_t* first;
  size_t location_count;
  unsigned long long flags;
};

using BatchCall = decltype(DriverStreamTable::mem_prefetch_batch_async);

template <ApiName kName, BatchCall DriverStreamTable::*kCall,
          DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t RunBatch(cudaStream_t stream, const Batch& batch) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    return FromDriver((driver.*kCall)(ToAddresses(batch.addresses), batch.bytes,
                                      batch.count, ToLocations(batch.locations),
                                      batch.first, batch.location_count,
                                      batch.flags, stream));
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Discard(void** addresses, size_t* bytes, size_t count,
                    unsigned long long flags, cudaStream_t stream) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    return FromDriver(driver.mem_discard_batch_async(
        ToAddresses(addresses), bytes, count, flags, stream));
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Attach(cudaStream_t stream, void* address, size_t bytes,
                   unsigned flags) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    return FromDriver(driver.stream_attach_mem_async(stream, ToAddress(address),
                                                     bytes, flags));
  });
}

constexpr auto kPrefetch = &DriverStreamTable::mem_prefetch_batch_async;
constexpr auto kDiscardAndPrefetch =
    &DriverStreamTable::mem_discard_and_prefetch_batch_async;

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaMemAdvise(const void* devPtr, size_t count,
                          cudaMemoryAdvise advice, cudaMemLocation location) {
  return Runtime<"cudaMemAdvise">(Needs::kContext, [&] {
    return AdviseMemory({devPtr, count}, advice, Read(location));
  });
}

cudaError_t cudaMemPrefetchAsync(const void* devPtr, size_t count,
                                 cudaMemLocation location, unsigned int flags,
                                 cudaStream_t stream) {
  return Prefetch<"cudaMemPrefetchAsync">(devPtr, count, location, flags,
                                          stream);
}

cudaError_t cudaMemPrefetchAsync_ptsz(const void* devPtr, size_t count,
                                      cudaMemLocation location,
                                      unsigned int flags, cudaStream_t stream) {
  return Prefetch<"cudaMemPrefetchAsync_ptsz", kPtsz>(devPtr, count, location,
                                                      flags, stream);
}

cudaError_t cudaMemPrefetchBatchAsync(void** dptrs, size_t* sizes, size_t count,
                                      cudaMemLocation* prefetchLocs,
                                      size_t* prefetchLocIdxs,
                                      size_t numPrefetchLocs,
                                      unsigned long long flags,
                                      cudaStream_t stream) {
  return RunBatch<"cudaMemPrefetchBatchAsync", kPrefetch>(
      stream, {dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
               numPrefetchLocs, flags});
}

cudaError_t cudaMemPrefetchBatchAsync_ptsz(
    void** dptrs, size_t* sizes, size_t count, cudaMemLocation* prefetchLocs,
    size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
    cudaStream_t stream) {
  return RunBatch<"cudaMemPrefetchBatchAsync_ptsz", kPrefetch, kPtsz>(
      stream, {dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
               numPrefetchLocs, flags});
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(
    void** dptrs, size_t* sizes, size_t count, cudaMemLocation* prefetchLocs,
    size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
    cudaStream_t stream) {
  return RunBatch<"cudaMemDiscardAndPrefetchBatchAsync", kDiscardAndPrefetch>(
      stream, {dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
               numPrefetchLocs, flags});
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync_ptsz(
    void** dptrs, size_t* sizes, size_t count, cudaMemLocation* prefetchLocs,
    size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
    cudaStream_t stream) {
  return RunBatch<"cudaMemDiscardAndPrefetchBatchAsync_ptsz",
                  kDiscardAndPrefetch, kPtsz>(
      stream, {dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
               numPrefetchLocs, flags});
}

cudaError_t cudaMemDiscardBatchAsync(void** dptrs, size_t* sizes, size_t count,
                                     unsigned long long flags,
                                     cudaStream_t stream) {
  return Discard<"cudaMemDiscardBatchAsync">(dptrs, sizes, count, flags,
                                             stream);
}

cudaError_t cudaMemDiscardBatchAsync_ptsz(void** dptrs, size_t* sizes,
                                          size_t count,
                                          unsigned long long flags,
                                          cudaStream_t stream) {
  return Discard<"cudaMemDiscardBatchAsync_ptsz", kPtsz>(dptrs, sizes, count,
                                                         flags, stream);
}

cudaError_t cudaMemRangeGetAttribute(void* data, size_t dataSize,
                                     cudaMemRangeAttribute attribute,
                                     const void* devPtr, size_t count) {
  return Runtime<"cudaMemRangeGetAttribute">(Needs::kContext, [&] {
    return GetRangeAttribute({devPtr, count}, attribute, data, dataSize);
  });
}

cudaError_t cudaMemRangeGetAttributes(void** data, size_t* dataSizes,
                                      cudaMemRangeAttribute* attributes,
                                      size_t numAttributes, const void* devPtr,
                                      size_t count) {
  return Runtime<"cudaMemRangeGetAttributes">(Needs::kContext, [&] {
    if (data == nullptr || dataSizes == nullptr || attributes == nullptr ||
        numAttributes == 0) {
      return Error::kInvalidValue;
    }
    Error error = Error::kSuccess;
    for (size_t i = 0; i < numAttributes && error == Error::kSuccess; ++i) {
      error = GetRangeAttribute({devPtr, count}, attributes[i], data[i],
                                dataSizes[i]);
    }
    return error;
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* devPtr,
                                     size_t length, unsigned int flags) {
  return Attach<"cudaStreamAttachMemAsync">(stream, devPtr, length, flags);
}

cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void* devPtr,
                                          size_t length, unsigned int flags) {
  return Attach<"cudaStreamAttachMemAsync_ptsz", kPtsz>(stream, devPtr, length,
                                                        flags);
}
