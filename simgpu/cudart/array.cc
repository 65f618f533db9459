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

template <ApiName kName>
cudaError_t MakeArray(cudaArray_t* out, const cudaChannelFormatDesc* desc,
                      const cudaExtent& extent, unsigned flags) {
  return ByDriver<kName>([&](const DriverTable& driver) {
    CUDA_ARRAY3D_DESCRIPTOR shape;
    const Error error = ReadShape(desc, extent, flags, &shape);
    return error == Error::kSuccess
               ? FromDriver(driver.array_create(reinterpret_cast<CUarray*>(out),
                                                &shape))
               : error;
  });
}

template <ApiName kName, typename Body>
cudaError_t OnArray(cudaArray_const_t handle, Body body) {
  return Runtime<kName>(Needs::kContext, [&] {
    Array* array = FindArray(handle);
    return array == nullptr ? Error::kInvalidHandle : body(*array);
  });
}

template <ApiName kName, typename Body>
cudaError_t OnMipmapped(cudaMipmappedArray_const_t handle, Body body) {
  return Runtime<kName>(Needs::kContext, [&] {
    MipmappedArray* array = FindMipmappedArray(handle);
    return array == nullptr ? Error::kInvalidHandle : body(*array);
  });
}

// "If the CUDA array is not allocated with flag cudaArrayDeferredMapping", or
// not with cudaArraySparse: no device here supports either.
template <ApiName kName>
cudaError_t NotDeferred(cudaArray_const_t array) {
  return OnArray<kName>(array,
                        [](const Array&) { return Error::kInvalidValue; });
}
template <ApiName kName>
cudaError_t NotDeferred(cudaMipmappedArray_const_t array) {
  return OnMipmapped<kName>(
      array, [](const MipmappedArray&) { return Error::kInvalidValue; });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaMallocArray(cudaArray_t* array,
                            const cudaChannelFormatDesc* desc, size_t width,
                            size_t height, unsigned int flags) {
  return MakeArray<"cudaMallocArray">(array, desc, {width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array,
                              const cudaChannelFormatDesc* desc,
                              cudaExtent extent, unsigned int flags) {
  return MakeArray<"cudaMalloc3DArray">(array, desc, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return ByDriver<"cudaFreeArray">([&](const DriverTable& driver) {
    return array == nullptr ? Error::kSuccess
                            : FromDriver(driver.array_destroy(
                                  reinterpret_cast<CUarray>(array)));
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent,
                             unsigned int* flags, cudaArray_t array) {
  return OnArray<"cudaArrayGetInfo">(array, [&](const Array& found) {
    const ArrayShape& shape = found.shape;
    if (desc != nullptr) *desc = DescOf(shape);
    if (extent != nullptr) *extent = {shape.width, shape.height, shape.depth};
    if (flags != nullptr) *flags = shape.flags;
    return Error::kSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* desc,
                               cudaArray_const_t array) {
  return OnArray<"cudaGetChannelDesc">(array, [&](const Array& found) {
    if (desc == nullptr) return Error::kInvalidValue;
    *desc = DescOf(found.shape);
    return Error::kSuccess;
  });
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* mipmappedArray,
                                     const cudaChannelFormatDesc* desc,
                                     cudaExtent extent, unsigned int numLevels,
                                     unsigned int flags) {
  return ByDriver<"cudaMallocMipmappedArray">([&](const DriverTable& driver) {
    CUDA_ARRAY3D_DESCRIPTOR shape;
    const Error error = ReadShape(desc, extent, flags, &shape);
    return error == Error::kSuccess
               ? FromDriver(driver.mipmapped_array_create(
                     reinterpret_cast<CUmipmappedArray*>(mipmappedArray),
                     &shape, numLevels))
               : error;
  });
}

cudaError_t cudaGetMipmappedArrayLevel(
    cudaArray_t* levelArray, cudaMipmappedArray_const_t mipmappedArray,
    unsigned int level) {
  return OnMipmapped<"cudaGetMipmappedArrayLevel">(
      mipmappedArray, [&](const MipmappedArray& array) {
        if (levelArray == nullptr || level >= array.levels.size()) {
          return Error::kInvalidValue;
        }
        *levelArray = ToHandle<cudaArray_t>(array.levels[level]);
        return Error::kSuccess;
      });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray) {
  return ByDriver<"cudaFreeMipmappedArray">([&](const DriverTable& driver) {
    return FromDriver(driver.mipmapped_array_destroy(
        reinterpret_cast<CUmipmappedArray>(mipmappedArray)));
  });
}

// "If the array does not have a multi-planar format."
cudaError_t cudaArrayGetPlane(cudaArray_t*, cudaArray_t hArray, unsigned int) {
  return NotDeferred<"cudaArrayGetPlane">(hArray);
}

cudaError_t cudaArrayGetMemoryRequirements(cudaArrayMemoryRequirements*,
                                           cudaArray_t array, int) {
  return NotDeferred<"cudaArrayGetMemoryRequirements">(array);
}

cudaError_t cudaMipmappedArrayGetMemoryRequirements(
    cudaArrayMemoryRequirements*, cudaMipmappedArray_t mipmap, int) {
  return NotDeferred<"cudaMipmappedArrayGetMemoryRequirements">(mipmap);
}

cudaError_t cudaArrayGetSparseProperties(cudaArraySparseProperties*,
                                         cudaArray_t array) {
  return NotDeferred<"cudaArrayGetSparseProperties">(array);
}

cudaError_t cudaMipmappedArrayGetSparseProperties(cudaArraySparseProperties*,
                                                  cudaMipmappedArray_t mipmap) {
  return NotDeferred<"cudaMipmappedArrayGetSparseProperties">(mipmap);
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind f) {
  Runtime<"cudaCreateChannelDesc">(Needs::kNothing,
                                   [] { return Error::kSuccess; });
  return {x, y, z, w, f};
}
