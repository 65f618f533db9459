// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/cudart/runtime_call.h"
#include "shim/simgpu/device/box_batch.h"
#include "shim/simgpu/device/copy_batch.h"
#include "shim/simgpu/device/transfer.h"

namespace dltap::simgpu {
namespace {

struct Batch {
  void* const* destinations;
  const void* const* sources;
  const size_t* bytes;
  size_t count;
  const cudaMemcpyAttributes* attributes;
  const size_t* first;
  size_t attribute_count;
};

Error Check(const Stream& stream, const Batch& batch) {
  if (batch.destinations == nullptr || batch.sources == nullptr ||
      batch.bytes == nullptr || batch.attributes == nullptr ||
      batch.attribute_count == 0) {
    return Error::kInvalidValue;
  }
  for (size_t i = 0; i < batch.attribute_count; ++i) {
    if (!IsAccessOrder(batch.attributes[i].srcAccessOrder)) {
      return Error::kInvalidValue;
    }
  }
  return CheckBatch(stream, batch.count, {batch.first, batch.attribute_count});
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t CopyBatch(cudaStream_t handle, const Batch& batch) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    Error error = Check(stream, batch);
    std::vector<CopyWork> copies(error == Error::kSuccess ? batch.count : 0);
    for (size_t i = 0; i < copies.size() && error == Error::kSuccess; ++i) {
      if (batch.bytes[i] == 0) return Error::kInvalidValue;
      error = MakeCopy(batch.destinations[i], batch.sources[i],
                       Linear(batch.bytes[i]), std::nullopt, &copies[i]);
    }
    return error == Error::kSuccess ? RunBatch(stream, copies) : error;
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t CopyBoxes(cudaStream_t handle, const cudaMemcpy3DBatchOp* ops,
                      size_t count, uint64_t flags) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    return RunBoxBatch(stream, ops, count, flags, nullptr);
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaMemcpyBatchAsync(void* const* dsts, const void* const* srcs,
                                 const size_t* sizes, size_t count,
                                 cudaMemcpyAttributes* attrs, size_t* attrsIdxs,
                                 size_t numAttrs, cudaStream_t stream) {
  return CopyBatch<"cudaMemcpyBatchAsync">(
      stream, {dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs});
}

cudaError_t cudaMemcpyBatchAsync_ptsz(void* const* dsts,
                                      const void* const* srcs,
                                      const size_t* sizes, size_t count,
                                      cudaMemcpyAttributes* attrs,
                                      size_t* attrsIdxs, size_t numAttrs,
                                      cudaStream_t stream) {
  return CopyBatch<"cudaMemcpyBatchAsync_ptsz", kPtsz>(
      stream, {dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs});
}

cudaError_t cudaMemcpy3DBatchAsync(size_t numOps, cudaMemcpy3DBatchOp* opList,
                                   unsigned long long flags,
                                   cudaStream_t stream) {
  return CopyBoxes<"cudaMemcpy3DBatchAsync">(stream, opList, numOps, flags);
}

cudaError_t cudaMemcpy3DBatchAsync_ptsz(size_t numOps,
                                        cudaMemcpy3DBatchOp* opList,
                                        unsigned long long flags,
                                        cudaStream_t stream) {
  return CopyBoxes<"cudaMemcpy3DBatchAsync_ptsz", kPtsz>(stream, opList, numOps,
                                                         flags);
}
