// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/managed_memory.h"

#include "simgpu/driver/driver_body.h"
#include "simgpu/memory/memory.h"

namespace dltap::simgpu {
namespace {

MemoryLocation Read(const CUmemLocation& location) {
  return {static_cast<int>(location.type), location.id};
}

Error Prefetch(Stream& stream, const MemoryRange& range,
               const MemoryLocation& location, unsigned flags) {
  return flags != 0 ? Error::kInvalidValue
                    : PrefetchMemory(stream, range, location);
}

// What the batched calls are given; `locations` are null where nothing is
// prefetched.
struct Batch {
  const CUdeviceptr* addresses;
  const size_t* bytes;
  size_t count;
  const CUmemLocation* locations = nullptr;
  size_t location_count = 0;
};

Error Run(Stream& stream, const Batch& batch, MemoryBatch request) {
  if (batch.addresses == nullptr || batch.bytes == nullptr ||
      (request.prefetch && batch.locations == nullptr)) {
    return Error::kInvalidValue;
  }
  for (size_t i = 0; i < batch.count; ++i) {
    request.ranges.push_back({ToPointer(batch.addresses[i]), batch.bytes[i]});
  }
  for (size_t i = 0; i < batch.location_count; ++i) {
    request.locations.push_back(Read(batch.locations[i]));
  }
  return RunMemoryBatch(stream, request);
}

}  // namespace

namespace body {

Error MemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                CUdevice device) {
  return AdviseMemory({ToPointer(devPtr), count}, advice,
                      LocationOfDevice(device));
}

Error MemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                CUmemLocation location) {
  return AdviseMemory({ToPointer(devPtr), count}, advice, Read(location));
}

Error MemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
                       Stream& stream) {
  return Prefetch(stream, {ToPointer(devPtr), count},
                  LocationOfDevice(dstDevice), 0);
}

Error MemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                       unsigned flags, Stream& stream) {
  return Prefetch(stream, {ToPointer(devPtr), count}, Read(location), flags);
}

Error MemPrefetchBatchAsync(CUdeviceptr* addresses, size_t* bytes, size_t count,
                            CUmemLocation* locations, size_t* first,
                            size_t location_count, unsigned long long flags,
                            Stream& stream) {
  return Run(stream, {addresses, bytes, count, locations, location_count},
             {.ranges = {},
              .locations = {},
              .first = first,
              .prefetch = true,
              .flags = flags});
}

Error MemDiscardAndPrefetchBatchAsync(CUdeviceptr* addresses, size_t* bytes,
                                      size_t count, CUmemLocation* locations,
                                      size_t* first, size_t location_count,
                                      unsigned long long flags,
                                      Stream& stream) {
  return Run(stream, {addresses, bytes, count, locations, location_count},
             {.ranges = {},
              .locations = {},
              .first = first,
              .discard = true,
              .prefetch = true,
              .flags = flags});
}

Error MemDiscardBatchAsync(CUdeviceptr* addresses, size_t* bytes, size_t count,
                           unsigned long long flags, Stream& stream) {
  return Run(stream, {addresses, bytes, count},
             {.ranges = {}, .locations = {}, .discard = true, .flags = flags});
}

Error MemRangeGetAttribute(void* data, size_t data_bytes,
                           CUmem_range_attribute attribute, CUdeviceptr devPtr,
                           size_t count) {
  return GetRangeAttribute({ToPointer(devPtr), count}, attribute, data,
                           data_bytes);
}

Error MemRangeGetAttributes(void** data, size_t* dataSizes,
                            CUmem_range_attribute* attributes,
                            size_t numAttributes, CUdeviceptr devPtr,
                            size_t count) {
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
}

Error StreamAttachMemAsync(Stream& stream, CUdeviceptr dptr, size_t length,
                           unsigned flags) {
  return AttachMemory(stream, {ToPointer(dptr), length}, flags);
}

Error MemGetHandleForAddressRange(void* handle, CUdeviceptr dptr, size_t size,
                                  CUmemRangeHandleType handleType,
                                  unsigned long long flags) {
  constexpr size_t kPageBytes = 4096;
  if (handle == nullptr || size == 0 || dptr % kPageBytes != 0 ||
      size % kPageBytes != 0 ||
      handleType != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD ||
      (flags & ~uint64_t{CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE}) != 0 ||
      !FindAllocation(ToPointer(dptr)) || !IsInBounds(ToPointer(dptr), size)) {
    return Error::kInvalidValue;
  }
  // CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED is 0: there is no other device.
  return Error::kNotSupported;
}

}  // namespace body
}  // namespace dltap::simgpu
