// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/managed_memory.h"

#include "shim/simgpu/cudart/runtime_call.h"

namespace dltap::simgpu {
namespace {

MemoryLocation Read(const cudaMemLocation& location) {
  return {static_cast<int>(location.type), location.id};
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Prefetch(cudaStream_t handle, const MemoryRange& range,
                     const MemoryLocation& location, unsigned flags) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    return flags != 0 ? Error::kInvalidValue
                      : PrefetchMemory(stream, range, location);
  });
}

struct Batch {
  void* const* addresses;
  const size_t* bytes;
  size_t count;
  const cudaMemLocation* locations;
  const size_t* first;
  size_t location_count;
  uint64_t flags;
};

enum class Act : uint8_t { kPrefetch, kDiscard, kBoth };

template <ApiName kName, Act kAct, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t RunBatch(cudaStream_t handle, const Batch& batch) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (batch.addresses == nullptr || batch.bytes == nullptr ||
        (kAct != Act::kDiscard && batch.locations == nullptr)) {
      return Error::kInvalidValue;
    }
    MemoryBatch request;
    request.first = batch.first;
    request.discard = kAct != Act::kPrefetch;
    request.prefetch = kAct != Act::kDiscard;
    request.flags = batch.flags;
    for (size_t i = 0; i < batch.count; ++i) {
      request.ranges.push_back({batch.addresses[i], batch.bytes[i]});
    }
    for (size_t k = 0; k < batch.location_count; ++k) {
      request.locations.push_back(Read(batch.locations[k]));
    }
    return RunMemoryBatch(stream, request);
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Attach(cudaStream_t handle, const MemoryRange& range,
                   unsigned flags) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    return AttachMemory(stream, range, flags);
  });
}

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
  return Prefetch<"cudaMemPrefetchAsync">(stream, {devPtr, count},
                                          Read(location), flags);
}

cudaError_t cudaMemPrefetchAsync_ptsz(const void* devPtr, size_t count,
                                      cudaMemLocation location,
                                      unsigned int flags, cudaStream_t stream) {
  return Prefetch<"cudaMemPrefetchAsync_ptsz", kPtsz>(stream, {devPtr, count},
                                                      Read(location), flags);
}

cudaError_t cudaMemPrefetchBatchAsync(void** dptrs, size_t* sizes, size_t count,
                                      cudaMemLocation* prefetchLocs,
                                      size_t* prefetchLocIdxs,
                                      size_t numPrefetchLocs,
                                      unsigned long long flags,
                                      cudaStream_t stream) {
  return RunBatch<"cudaMemPrefetchBatchAsync", Act::kPrefetch>(
      stream, {dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
               numPrefetchLocs, flags});
}

cudaError_t cudaMemPrefetchBatchAsync_ptsz(
    void** dptrs, size_t* sizes, size_t count, cudaMemLocation* prefetchLocs,
    size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
    cudaStream_t stream) {
  return RunBatch<"cudaMemPrefetchBatchAsync_ptsz", Act::kPrefetch, kPtsz>(
      stream, {dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
               numPrefetchLocs, flags});
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(
    void** dptrs, size_t* sizes, size_t count, cudaMemLocation* prefetchLocs,
    size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
    cudaStream_t stream) {
  return RunBatch<"cudaMemDiscardAndPrefetchBatchAsync", Act::kBoth>(
      stream, {dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
               numPrefetchLocs, flags});
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync_ptsz(
    void** dptrs, size_t* sizes, size_t count, cudaMemLocation* prefetchLocs,
    size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
    cudaStream_t stream) {
  return RunBatch<"cudaMemDiscardAndPrefetchBatchAsync_ptsz", Act::kBoth,
                  kPtsz>(stream, {dptrs, sizes, count, prefetchLocs,
                                  prefetchLocIdxs, numPrefetchLocs, flags});
}

cudaError_t cudaMemDiscardBatchAsync(void** dptrs, size_t* sizes, size_t count,
                                     unsigned long long flags,
                                     cudaStream_t stream) {
  return RunBatch<"cudaMemDiscardBatchAsync", Act::kDiscard>(
      stream, {dptrs, sizes, count, nullptr, nullptr, 0, flags});
}

cudaError_t cudaMemDiscardBatchAsync_ptsz(void** dptrs, size_t* sizes,
                                          size_t count,
                                          unsigned long long flags,
                                          cudaStream_t stream) {
  return RunBatch<"cudaMemDiscardBatchAsync_ptsz", Act::kDiscard, kPtsz>(
      stream, {dptrs, sizes, count, nullptr, nullptr, 0, flags});
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
  return Attach<"cudaStreamAttachMemAsync">(stream, {devPtr, length}, flags);
}

cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void* devPtr,
                                          size_t length, unsigned int flags) {
  return Attach<"cudaStreamAttachMemAsync_ptsz", kPtsz>(
      stream, {devPtr, length}, flags);
}
