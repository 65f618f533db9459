// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/runtime_call.h"

namespace dltap::simgpu {
namespace {

struct Fill {
  void* address;
  int value;
  size_t width;
  size_t height = 1;
  size_t pitch = 0;
};

template <ApiName kName, bool kAsync,
          DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t FillBytes(cudaStream_t stream, const Fill& fill) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    const auto to = reinterpret_cast<CUdeviceptr>(fill.address);
    const auto value = static_cast<unsigned char>(fill.value);
    if (fill.height == 1) {
      return FromDriver(
          kAsync ? driver.memset_bytes_async(to, value, fill.width, stream)
                 : driver.memset_bytes(to, value, fill.width));
    }
    return FromDriver(kAsync ? driver.memset_rows_async(to, fill.pitch, value,
                                                        fill.width, fill.height,
                                                        stream)
                             : driver.memset_rows(to, fill.pitch, value,
                                                  fill.width, fill.height));
  });
}

// A box is a run of rows when its slices lie close together, as they do in all
// that cudaMalloc3D gives.
Fill Rows(const cudaPitchedPtr& to, int value, const cudaExtent& extent) {
  const size_t rows =
      extent.depth > 1 ? to.ysize * extent.depth : extent.height;
  return {to.ptr, value, extent.width, rows, to.pitch};
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaMemset(void* devPtr, int value, size_t count) {
  return FillBytes<"cudaMemset", false>(nullptr, {devPtr, value, count});
}

cudaError_t cudaMemset_ptds(void* devPtr, int value, size_t count) {
  return FillBytes<"cudaMemset_ptds", false, kPtsz>(nullptr,
                                                    {devPtr, value, count});
}

cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count,
                            cudaStream_t stream) {
  return FillBytes<"cudaMemsetAsync", true>(stream, {devPtr, value, count});
}

cudaError_t cudaMemsetAsync_ptsz(void* devPtr, int value, size_t count,
                                 cudaStream_t stream) {
  return FillBytes<"cudaMemsetAsync_ptsz", true, kPtsz>(stream,
                                                        {devPtr, value, count});
}

cudaError_t cudaMemset2D(void* devPtr, size_t pitch, int value, size_t width,
                         size_t height) {
  return FillBytes<"cudaMemset2D", false>(
      nullptr, {devPtr, value, width, height, pitch});
}

cudaError_t cudaMemset2D_ptds(void* devPtr, size_t pitch, int value,
                              size_t width, size_t height) {
  return FillBytes<"cudaMemset2D_ptds", false, kPtsz>(
      nullptr, {devPtr, value, width, height, pitch});
}

cudaError_t cudaMemset2DAsync(void* devPtr, size_t pitch, int value,
                              size_t width, size_t height,
                              cudaStream_t stream) {
  return FillBytes<"cudaMemset2DAsync", true>(
      stream, {devPtr, value, width, height, pitch});
}

cudaError_t cudaMemset2DAsync_ptsz(void* devPtr, size_t pitch, int value,
                                   size_t width, size_t height,
                                   cudaStream_t stream) {
  return FillBytes<"cudaMemset2DAsync_ptsz", true, kPtsz>(
      stream, {devPtr, value, width, height, pitch});
}

cudaError_t cudaMemset3D(cudaPitchedPtr pitchedDevPtr, int value,
                         cudaExtent extent) {
  return FillBytes<"cudaMemset3D", false>(nullptr,
                                          Rows(pitchedDevPtr, value, extent));
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pitchedDevPtr, int value,
                              cudaExtent extent, cudaStream_t stream) {
  return FillBytes<"cudaMemset3DAsync", true>(
      stream, Rows(pitchedDevPtr, value, extent));
}

cudaError_t cudaMemset3D_ptds(cudaPitchedPtr pitchedDevPtr, int value,
                              cudaExtent extent) {
  return FillBytes<"cudaMemset3D_ptds", false, kPtsz>(
      nullptr, Rows(pitchedDevPtr, value, extent));
}

cudaError_t cudaMemset3DAsync_ptsz(cudaPitchedPtr pitchedDevPtr, int value,
                                   cudaExtent extent, cudaStream_t stream) {
  return FillBytes<"cudaMemset3DAsync_ptsz", true, kPtsz>(
      stream, Rows(pitchedDevPtr, value, extent));
}
