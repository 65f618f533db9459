// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/managed_memory.h"

#include "simgpu/driver/driver_call.h"
#include "simgpu/memory/memory.h"

namespace dltap::simgpu {
namespace {

MemoryLocation Read(const CUmemLocation& location) {
  return {static_cast<int>(location.type), location.id};
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult Prefetch(CUstream handle, const MemoryRange& range,
                  const MemoryLocation& location, unsigned flags) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    return flags != 0 ? Error::kInvalidValue
                      : PrefetchMemory(stream, range, location);
  });
}

struct Batch {
  const CUdeviceptr* addresses;
  const size_t* bytes;
  size_t count;
  const CUmemLocation* locations;
  const size_t* first;
  size_t location_count;
  uint64_t flags;
};

enum class Act : uint8_t { kPrefetch, kDiscard, kBoth };

template <ApiName kName, Act kAct, DefaultStream kNull = DefaultStream::kLegacy>
CUresult RunBatch(CUstream handle, const Batch& batch) {
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
      request.ranges.push_back({ToPointer(batch.addresses[i]), batch.bytes[i]});
    }
    for (size_t k = 0; k < batch.location_count; ++k) {
      request.locations.push_back(Read(batch.locations[k]));
    }
    return RunMemoryBatch(stream, request);
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult Attach(CUstream handle, const MemoryRange& range, unsigned flags) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    return AttachMemory(stream, range, flags);
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                     CUdevice device) {
  return Driver<"cuMemAdvise">(DriverNeeds::kContext, [&] {
    return AdviseMemory({ToPointer(devPtr), count}, advice,
                        LocationOfDevice(device));
  });
}

CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                        CUmemLocation location) {
  return Driver<"cuMemAdvise_v2">(DriverNeeds::kContext, [&] {
    return AdviseMemory({ToPointer(devPtr), count}, advice, Read(location));
  });
}

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count,
                            CUdevice dstDevice, CUstream hStream) {
  return Prefetch<"cuMemPrefetchAsync">(hStream, {ToPointer(devPtr), count},
                                        LocationOfDevice(dstDevice), 0);
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count,
                               CUmemLocation location, unsigned int flags,
                               CUstream hStream) {
  return Prefetch<"cuMemPrefetchAsync_v2">(hStream, {ToPointer(devPtr), count},
                                           Read(location), flags);
}

CUresult cuMemPrefetchAsync_ptsz(CUdeviceptr devPtr, size_t count,
                                 CUdevice dstDevice, CUstream hStream) {
  return Prefetch<"cuMemPrefetchAsync_ptsz", kPtsz>(
      hStream, {ToPointer(devPtr), count}, LocationOfDevice(dstDevice), 0);
}

CUresult cuMemPrefetchAsync_v2_ptsz(CUdeviceptr devPtr, size_t count,
                                    CUmemLocation location, unsigned int flags,
                                    CUstream hStream) {
  return Prefetch<"cuMemPrefetchAsync_v2_ptsz", kPtsz>(
      hStream, {ToPointer(devPtr), count}, Read(location), flags);
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr* dptrs, size_t* sizes,
                                 size_t count, CUmemLocation* prefetchLocs,
                                 size_t* prefetchLocIdxs,
                                 size_t numPrefetchLocs,
                                 unsigned long long flags, CUstream hStream) {
  return RunBatch<"cuMemPrefetchBatchAsync", Act::kPrefetch>(
      hStream, {dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
                numPrefetchLocs, flags});
}

CUresult cuMemPrefetchBatchAsync_ptsz(CUdeviceptr* dptrs, size_t* sizes,
                                      size_t count, CUmemLocation* prefetchLocs,
                                      size_t* prefetchLocIdxs,
                                      size_t numPrefetchLocs,
                                      unsigned long long flags,
                                      CUstream hStream) {
  return RunBatch<"cuMemPrefetchBatchAsync_ptsz", Act::kPrefetch, kPtsz>(
      hStream, {dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
                numPrefetchLocs, flags});
}

CUresult cuMemDiscardAndPrefetchBatchAsync(
    CUdeviceptr* dptrs, size_t* sizes, size_t count,
    CUmemLocation* prefetchLocs, size_t* prefetchLocIdxs,
    size_t numPrefetchLocs, unsigned long long flags, CUstream hStream) {
  return RunBatch<"cuMemDiscardAndPrefetchBatchAsync", Act::kBoth>(
      hStream, {dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
                numPrefetchLocs, flags});
}

CUresult cuMemDiscardAndPrefetchBatchAsync_ptsz(
    CUdeviceptr* dptrs, size_t* sizes, size_t count,
    CUmemLocation* prefetchLocs, size_t* prefetchLocIdxs,
    size_t numPrefetchLocs, unsigned long long flags, CUstream hStream) {
  return RunBatch<"cuMemDiscardAndPrefetchBatchAsync_ptsz", Act::kBoth, kPtsz>(
      hStream, {dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
                numPrefetchLocs, flags});
}

CUresult cuMemDiscardBatchAsync(CUdeviceptr* dptrs, size_t* sizes, size_t count,
                                unsigned long long flags, CUstream hStream) {
  return RunBatch<"cuMemDiscardBatchAsync", Act::kDiscard>(
      hStream, {dptrs, sizes, count, nullptr, nullptr, 0, flags});
}

CUresult cuMemDiscardBatchAsync_ptsz(CUdeviceptr* dptrs, size_t* sizes,
                                     size_t count, unsigned long long flags,
                                     CUstream hStream) {
  return RunBatch<"cuMemDiscardBatchAsync_ptsz", Act::kDiscard, kPtsz>(
      hStream, {dptrs, sizes, count, nullptr, nullptr, 0, flags});
}

CUresult cuMemRangeGetAttribute(void* data, size_t dataSize,
                                CUmem_range_attribute attribute,
                                CUdeviceptr devPtr, size_t count) {
  return Driver<"cuMemRangeGetAttribute">(DriverNeeds::kContext, [&] {
    return GetRangeAttribute({ToPointer(devPtr), count}, attribute, data,
                             dataSize);
  });
}

CUresult cuMemRangeGetAttributes(void** data, size_t* dataSizes,
                                 CUmem_range_attribute* attributes,
                                 size_t numAttributes, CUdeviceptr devPtr,
                                 size_t count) {
  return Driver<"cuMemRangeGetAttributes">(DriverNeeds::kContext, [&] {
    if (data == nullptr || dataSizes == nullptr || attributes == nullptr ||
        numAttributes == 0) {
      return Error::kInvalidValue;
    }
    Error error = Error::kSuccess;
    for (size_t i = 0; i < numAttributes && error == Error::kSuccess; ++i) {
      error = GetRangeAttribute({ToPointer(devPtr), count}, attributes[i],
                                data[i], dataSizes[i]);
    }
    return error;
  });
}

CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr,
                                size_t length, unsigned int flags) {
  return Attach<"cuStreamAttachMemAsync">(hStream, {ToPointer(dptr), length},
                                          flags);
}

CUresult cuStreamAttachMemAsync_ptsz(CUstream hStream, CUdeviceptr dptr,
                                     size_t length, unsigned int flags) {
  return Attach<"cuStreamAttachMemAsync_ptsz", kPtsz>(
      hStream, {ToPointer(dptr), length}, flags);
}

CUresult cuMemGetHandleForAddressRange(void* handle, CUdeviceptr dptr,
                                       size_t size,
                                       CUmemRangeHandleType handleType,
                                       unsigned long long flags) {
  return Driver<"cuMemGetHandleForAddressRange">(DriverNeeds::kContext, [&] {
    constexpr size_t kPageBytes = 4096;
    if (handle == nullptr || size == 0 || dptr % kPageBytes != 0 ||
        size % kPageBytes != 0 ||
        handleType != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD ||
        (flags & ~uint64_t{CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE}) != 0 ||
        !FindAllocation(ToPointer(dptr)) ||
        !IsInBounds(ToPointer(dptr), size)) {
      return Error::kInvalidValue;
    }
    // CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED is 0: there is no other device.
    return Error::kNotSupported;
  });
}
