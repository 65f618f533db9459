// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/array.h"

#include "simgpu/cudart/array_format.h"
#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/runtime_call.h"

namespace dltap::simgpu {
namespace {

Error ReadShape(const cudaChannelFormatDesc* desc, const cudaExtent& extent,
                unsigned flags, CUDA_ARRAY3D_DESCRIPTOR* shape) {
  if (desc == nullptr) return Error::kInvalidValue;
  ElementFormat element;
  if (!ReadChannels(*desc, &element)) return Error::kInvalidChannelDescriptor;
  *shape = {.Width = extent.width,
            .Height = extent.height,
            .Depth = extent.depth,
            .Format = static_cast<CUarray_format>(element.format),
            .NumChannels = element.channels,
            .Flags = flags};
  return Error::kSuccess;
}

cudaChannelFormatDesc DescOf(const ArrayShape& shape) {
  return ChannelsOf({shape.format, shape.channels});
}

Error MakeArray(const DriverTable& driver, cudaArray_t* out,
                const cudaChannelFormatDesc* desc, const cudaExtent& extent,
                unsigned flags) {
  CUDA_ARRAY3D_DESCRIPTOR shape;
  const Error error = ReadShape(desc, extent, flags, &shape);
  return error == Error::kSuccess
             ? FromDriver(
                   driver.array_create(reinterpret_cast<CUarray*>(out), &shape))
             : error;
}

template <typename Body>
Error OnArray(cudaArray_const_t handle, Body body) {
  Array* array = FindArray(handle);
  return array == nullptr ? Error::kInvalidHandle : body(*array);
}

}  // namespace

namespace body {

Error MallocArray(const DriverTable& driver, cudaArray_t* array,
                  const cudaChannelFormatDesc* desc, size_t width,
                  size_t height, unsigned int flags) {
  return MakeArray(driver, array, desc, {width, height, 0}, flags);
}

Error Malloc3DArray(const DriverTable& driver, cudaArray_t* array,
                    const cudaChannelFormatDesc* desc, cudaExtent extent,
                    unsigned int flags) {
  return MakeArray(driver, array, desc, extent, flags);
}

Error FreeArray(const DriverTable& driver, cudaArray_t array) {
  return array == nullptr ? Error::kSuccess
                          : FromDriver(driver.array_destroy(
                                reinterpret_cast<CUarray>(array)));
}

Error ArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent,
                   unsigned int* flags, cudaArray_t array) {
  return OnArray(array, [&](const Array& found) {
    const ArrayShape& shape = found.shape;
    if (desc != nullptr) *desc = DescOf(shape);
    if (extent != nullptr) *extent = {shape.width, shape.height, shape.depth};
    if (flags != nullptr) *flags = shape.flags;
    return Error::kSuccess;
  });
}

Error GetChannelDesc(cudaChannelFormatDesc* desc, cudaArray_const_t array) {
  return OnArray(array, [&](const Array& found) {
    if (desc == nullptr) return Error::kInvalidValue;
    *desc = DescOf(found.shape);
    return Error::kSuccess;
  });
}

Error MallocMipmappedArray(const DriverTable& driver,
                           cudaMipmappedArray_t* mipmappedArray,
                           const cudaChannelFormatDesc* desc, cudaExtent extent,
                           unsigned int numLevels, unsigned int flags) {
  CUDA_ARRAY3D_DESCRIPTOR shape;
  const Error error = ReadShape(desc, extent, flags, &shape);
  return error == Error::kSuccess
             ? FromDriver(driver.mipmapped_array_create(
                   reinterpret_cast<CUmipmappedArray*>(mipmappedArray), &shape,
                   numLevels))
             : error;
}

}  // namespace body
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind f) {
  Runtime<"cudaCreateChannelDesc">(Needs::kNothing,
                                   [] { return Error::kSuccess; });
  return {x, y, z, w, f};
}
