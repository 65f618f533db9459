// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/runtime_call.h"

namespace dltap::simgpu {
namespace {

struct Batch {
  void* const* destinations;
  const void* const* sources;
  const size_t* bytes;
  size_t count;
  cudaMemcpyAttributes* attributes;
  size_t* first;
  size_t attribute_count;
};

// Types by two names (driver_types.h, cuda.h).
static_assert(sizeof(cudaMemcpyAttributes) == sizeof(CUmemcpyAttributes));

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t CopyBatch(cudaStream_t stream, const Batch& batch) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    return FromDriver(driver.memcpy_batch_async(
        reinterpret_cast<CUdeviceptr*>(const_cast<void**>(batch.destinations)),
        reinterpret_cast<CUdeviceptr*>(const_cast<void**>(batch.sources)),
        const_cast<size_t*>(batch.bytes), batch.count,
        reinterpret_cast<CUmemcpyAttributes*>(batch.attributes), batch.first,
        batch.attribute_count, stream));
  });
}

static_assert(sizeof(cudaMemcpy3DBatchOp) == sizeof(CUDA_MEMCPY3D_BATCH_OP));

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t CopyBoxes(cudaStream_t stream, cudaMemcpy3DBatchOp* ops,
                      size_t count, unsigned long long flags) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    return FromDriver(driver.memcpy_3d_batch_async(
        count, reinterpret_cast<CUDA_MEMCPY3D_BATCH_OP*>(ops), flags, stream));
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
