// SPDX-License-Identifier: Apache-2.0
#include "simgpu/driver/driver_body.h"
#include "simgpu/memory/box_batch.h"
#include "simgpu/memory/copy_batch.h"
#include "simgpu/memory/transfer.h"

namespace dltap::simgpu {
namespace {

// The attributes of a batch, and which of its copies they begin at.
struct Attributes {
  const CUmemcpyAttributes* all;
  const size_t* first;
  size_t count;
};

Error Check(const Stream& stream, size_t count, const Attributes& attributes) {
  if (attributes.all == nullptr || attributes.count == 0) {
    return Error::kInvalidValue;
  }
  for (size_t i = 0; i < attributes.count; ++i) {
    if (!IsAccessOrder(attributes.all[i].srcAccessOrder)) {
      return Error::kInvalidValue;
    }
  }
  return CheckBatch(stream, count, {attributes.first, attributes.count});
}

}  // namespace

namespace body {

Error MemcpyBatchAsync(CUdeviceptr* to, CUdeviceptr* from, size_t* bytes,
                       size_t count, CUmemcpyAttributes* attributes,
                       size_t* first, size_t attribute_count, Stream& stream) {
  size_t failed = 0;
  return MemcpyBatchAsync(to, from, bytes, count, attributes, first,
                          attribute_count, &failed, stream);
}

Error MemcpyBatchAsync(CUdeviceptr* to, CUdeviceptr* from, size_t* bytes,
                       size_t count, CUmemcpyAttributes* attributes,
                       size_t* first, size_t attribute_count, size_t* failed,
                       Stream& stream) {
  // "The value will be SIZE_MAX if the error doesn't pertain to any specific
  // copy."
  if (failed != nullptr) *failed = SIZE_MAX;
  if (to == nullptr || from == nullptr || bytes == nullptr) {
    return Error::kInvalidValue;
  }
  Error error = Check(stream, count, {attributes, first, attribute_count});
  std::vector<CopyWork> copies(error == Error::kSuccess ? count : 0);
  for (size_t i = 0; i < copies.size() && error == Error::kSuccess; ++i) {
    error = bytes[i] == 0
                ? Error::kInvalidValue
                : MakeCopy(ToPointer(to[i]), ToPointer(from[i]),
                           Linear(bytes[i]), std::nullopt, &copies[i]);
    if (error != Error::kSuccess && failed != nullptr) *failed = i;
  }
  return error == Error::kSuccess ? RunBatch(stream, copies) : error;
}

Error Memcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP* boxes,
                         size_t* failed, unsigned long long flags,
                         Stream& stream) {
  if (failed != nullptr) *failed = SIZE_MAX;
  return RunBoxBatch(stream, boxes, count, flags, failed);
}

Error Memcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP* boxes,
                         unsigned long long flags, Stream& stream) {
  return Memcpy3DBatchAsync(count, boxes, nullptr, flags, stream);
}

}  // namespace body
}  // namespace dltap::simgpu
