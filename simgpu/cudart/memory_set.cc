// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/copy_by_driver.h"
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

// kSync has no stream.
Error FillBytes(const Lane& lane, const Fill& fill) {
  const DriverStreamTable& driver = lane.driver;
  const bool async = lane.mode == Mode::kAsync;
  const auto to = reinterpret_cast<CUdeviceptr>(fill.address);
  const auto value = static_cast<unsigned char>(fill.value);
  if (fill.height == 1) {
    return FromDriver(
        async ? driver.memset_bytes_async(to, value, fill.width, lane.stream)
              : driver.memset_bytes(to, value, fill.width));
  }
  return FromDriver(
      async
          ? driver.memset_rows_async(to, fill.pitch, value, fill.width,
                                     fill.height, lane.stream)
          : driver.memset_rows(to, fill.pitch, value, fill.width, fill.height));
}

// A box is a run of rows when its slices lie close together, as they do in all
// that cudaMalloc3D gives.
Fill Rows(const cudaPitchedPtr& to, int value, const cudaExtent& extent) {
  const size_t rows =
      extent.depth > 1 ? to.ysize * extent.depth : extent.height;
  return {to.ptr, value, extent.width, rows, to.pitch};
}

}  // namespace

namespace body {

Error Memset(const DriverStreamTable& driver, void* devPtr, int value,
             size_t count) {
  return FillBytes({driver, Mode::kSync, nullptr}, {devPtr, value, count});
}

Error MemsetAsync(const DriverStreamTable& driver, void* devPtr, int value,
                  size_t count, cudaStream_t stream) {
  return FillBytes({driver, Mode::kAsync, stream}, {devPtr, value, count});
}

Error Memset2D(const DriverStreamTable& driver, void* devPtr, size_t pitch,
               int value, size_t width, size_t height) {
  return FillBytes({driver, Mode::kSync, nullptr},
                   {devPtr, value, width, height, pitch});
}

Error Memset2DAsync(const DriverStreamTable& driver, void* devPtr, size_t pitch,
                    int value, size_t width, size_t height,
                    cudaStream_t stream) {
  return FillBytes({driver, Mode::kAsync, stream},
                   {devPtr, value, width, height, pitch});
}

Error Memset3D(const DriverStreamTable& driver, cudaPitchedPtr pitchedDevPtr,
               int value, cudaExtent extent) {
  return FillBytes({driver, Mode::kSync, nullptr},
                   Rows(pitchedDevPtr, value, extent));
}

Error Memset3DAsync(const DriverStreamTable& driver,
                    cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent,
                    cudaStream_t stream) {
  return FillBytes({driver, Mode::kAsync, stream},
                   Rows(pitchedDevPtr, value, extent));
}

}  // namespace body
}  // namespace dltap::simgpu
