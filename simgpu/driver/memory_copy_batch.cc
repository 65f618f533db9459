// SPDX-License-Identifier: Apache-2.0
#include "simgpu/driver/driver_call.h"
#include "simgpu/memory/box_batch.h"
#include "simgpu/memory/copy_batch.h"
#include "simgpu/memory/transfer.h"

namespace dltap::simgpu {
namespace {

struct Batch {
  const CUdeviceptr* destinations;
  const CUdeviceptr* sources;
  const size_t* bytes;
  size_t count;
  const CUmemcpyAttributes* attributes;
  const size_t* first;
  size_t attribute_count;
  size_t* failed = nullptr;  // which copy, where it is asked for
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
CUresult CopyBatch(CUstream handle, const Batch& batch) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    // "The value will be SIZE_MAX if the error doesn't pertain to any specific
    // copy."
    if (batch.failed != nullptr) *batch.failed = SIZE_MAX;
    Error error = Check(stream, batch);
    std::vector<CopyWork> copies(error == Error::kSuccess ? batch.count : 0);
    for (size_t i = 0; i < copies.size() && error == Error::kSuccess; ++i) {
      error = batch.bytes[i] == 0
                  ? Error::kInvalidValue
                  : MakeCopy(ToPointer(batch.destinations[i]),
                             ToPointer(batch.sources[i]),
                             Linear(batch.bytes[i]), std::nullopt, &copies[i]);
      if (error != Error::kSuccess && batch.failed != nullptr) {
        *batch.failed = i;
      }
    }
    return error == Error::kSuccess ? RunBatch(stream, copies) : error;
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult CopyBoxes(CUstream handle, const CUDA_MEMCPY3D_BATCH_OP* ops,
                   size_t count, uint64_t flags, size_t* failed = nullptr) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (failed != nullptr) *failed = SIZE_MAX;
    return RunBoxBatch(stream, ops, count, flags, failed);
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* dsts, CUdeviceptr* srcs,
                               size_t* sizes, size_t count,
                               CUmemcpyAttributes* attrs, size_t* attrsIdxs,
                               size_t numAttrs, CUstream hStream) {
  return CopyBatch<"cuMemcpyBatchAsync_v2">(
      hStream, {dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs});
}

CUresult cuMemcpyBatchAsync_v2_ptsz(CUdeviceptr* dsts, CUdeviceptr* srcs,
                                    size_t* sizes, size_t count,
                                    CUmemcpyAttributes* attrs,
                                    size_t* attrsIdxs, size_t numAttrs,
                                    CUstream hStream) {
  return CopyBatch<"cuMemcpyBatchAsync_v2_ptsz", kPtsz>(
      hStream, {dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs});
}

CUresult cuMemcpyBatchAsync(CUdeviceptr* dsts, CUdeviceptr* srcs, size_t* sizes,
                            size_t count, CUmemcpyAttributes* attrs,
                            size_t* attrsIdxs, size_t numAttrs, size_t* failIdx,
                            CUstream hStream) {
  return CopyBatch<"cuMemcpyBatchAsync">(
      hStream, {dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx});
}

CUresult cuMemcpyBatchAsync_ptsz(CUdeviceptr* dsts, CUdeviceptr* srcs,
                                 size_t* sizes, size_t count,
                                 CUmemcpyAttributes* attrs, size_t* attrsIdxs,
                                 size_t numAttrs, size_t* failIdx,
                                 CUstream hStream) {
  return CopyBatch<"cuMemcpyBatchAsync_ptsz", kPtsz>(
      hStream, {dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx});
}

CUresult cuMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP* opList,
                              size_t* failIdx, unsigned long long flags,
                              CUstream hStream) {
  return CopyBoxes<"cuMemcpy3DBatchAsync">(hStream, opList, numOps, flags,
                                           failIdx);
}

CUresult cuMemcpy3DBatchAsync_ptsz(size_t numOps,
                                   CUDA_MEMCPY3D_BATCH_OP* opList,
                                   size_t* failIdx, unsigned long long flags,
                                   CUstream hStream) {
  return CopyBoxes<"cuMemcpy3DBatchAsync_ptsz", kPtsz>(hStream, opList, numOps,
                                                       flags, failIdx);
}

CUresult cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP* opList,
                                 unsigned long long flags, CUstream hStream) {
  return CopyBoxes<"cuMemcpy3DBatchAsync_v2">(hStream, opList, numOps, flags);
}

CUresult cuMemcpy3DBatchAsync_v2_ptsz(size_t numOps,
                                      CUDA_MEMCPY3D_BATCH_OP* opList,
                                      unsigned long long flags,
                                      CUstream hStream) {
  return CopyBoxes<"cuMemcpy3DBatchAsync_v2_ptsz", kPtsz>(hStream, opList,
                                                          numOps, flags);
}
