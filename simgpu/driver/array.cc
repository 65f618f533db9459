// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/array.h"

#include "simgpu/driver/driver_body.h"
#include "simgpu/graph/capture.h"
#include "simgpu/stream/device_attributes.h"

namespace dltap::simgpu {
namespace {

// The descriptors of 1-D and 2-D arrays, and their older forms.
template <typename Desc>
ArrayShape ShapeOf(const Desc& desc) {
  ArrayShape shape{.width = desc.Width,
                   .height = desc.Height,
                   .depth = 0,
                   .format = static_cast<unsigned>(desc.Format),
                   .channels = desc.NumChannels,
                   .flags = 0};
  if constexpr (requires { desc.Depth; }) {
    shape.depth = desc.Depth;
    shape.flags = desc.Flags;
  }
  return shape;
}

template <typename Desc>
Desc DescOf(const ArrayShape& shape) {
  Desc desc{};
  desc.Width = static_cast<decltype(desc.Width)>(shape.width);
  desc.Height = static_cast<decltype(desc.Height)>(shape.height);
  desc.Format = static_cast<CUarray_format>(shape.format);
  desc.NumChannels = shape.channels;
  if constexpr (requires { desc.Depth; }) {
    desc.Depth = static_cast<decltype(desc.Depth)>(shape.depth);
    desc.Flags = shape.flags;
  }
  return desc;
}

template <typename Desc>
Error MakeArray(CUarray* out, const Desc* desc) {
  if (out == nullptr || desc == nullptr) return Error::kInvalidValue;
  Error error = CheckUnsafeCall();
  if (error != Error::kSuccess) return error;
  Array* array = nullptr;
  error = CreateArray(CurrentDeviceState(), ShapeOf(*desc), &array);
  if (error == Error::kSuccess) *out = ToHandle<CUarray>(array);
  return error;
}

template <typename Body>
Error OnArray(CUarray handle, Body body) {
  Array* array = FindArray(handle);
  return array == nullptr ? Error::kInvalidHandle : body(*array);
}

template <typename Body>
Error OnMipmapped(CUmipmappedArray handle, Body body) {
  MipmappedArray* array = FindMipmappedArray(handle);
  return array == nullptr ? Error::kInvalidHandle : body(*array);
}

template <typename Desc>
Error Describe(Desc* out, CUarray handle) {
  return OnArray(handle, [&](const Array& array) {
    return Give(out, DescOf<Desc>(array.shape));
  });
}

// The memory may be in use: the vendor's functions wait as well.
template <typename T>
Error AfterWork(T& array, Error (*destroy)(T&)) {
  const Error error = WaitForDevice(CurrentDeviceState());
  return error != Error::kSuccess ? error : destroy(array);
}

// "If the CUDA array is not allocated with flag CUDA_ARRAY3D_DEFERRED_MAPPING",
// or not with CUDA_ARRAY3D_SPARSE: no device here supports either.
Error NotDeferred(CUarray array) {
  return OnArray(array, [](const Array&) { return Error::kInvalidValue; });
}
Error NotDeferred(CUmipmappedArray array) {
  return OnMipmapped(
      array, [](const MipmappedArray&) { return Error::kInvalidValue; });
}

}  // namespace

namespace body {

Error ArrayCreate(CUarray* pHandle,
                  const CUDA_ARRAY_DESCRIPTOR_v1* pAllocateArray) {
  return MakeArray(pHandle, pAllocateArray);
}

Error ArrayCreate(CUarray* pHandle,
                  const CUDA_ARRAY_DESCRIPTOR* pAllocateArray) {
  return MakeArray(pHandle, pAllocateArray);
}

Error Array3DCreate(CUarray* pHandle,
                    const CUDA_ARRAY3D_DESCRIPTOR_v1* pAllocateArray) {
  return MakeArray(pHandle, pAllocateArray);
}

Error Array3DCreate(CUarray* pHandle,
                    const CUDA_ARRAY3D_DESCRIPTOR* pAllocateArray) {
  return MakeArray(pHandle, pAllocateArray);
}

Error ArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR_v1* pArrayDescriptor,
                         CUarray hArray) {
  return Describe(pArrayDescriptor, hArray);
}

Error ArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* pArrayDescriptor,
                         CUarray hArray) {
  return Describe(pArrayDescriptor, hArray);
}

Error Array3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR_v1* pArrayDescriptor,
                           CUarray hArray) {
  return Describe(pArrayDescriptor, hArray);
}

Error Array3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* pArrayDescriptor,
                           CUarray hArray) {
  return Describe(pArrayDescriptor, hArray);
}

Error ArrayDestroy(CUarray hArray) {
  return OnArray(hArray,
                 [](Array& array) { return AfterWork(array, DestroyArray); });
}

Error ArrayGetPlane(CUarray*, CUarray hArray, unsigned) {
  // "If the array does not have a multi-planar format."
  return NotDeferred(hArray);
}

Error ArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS*, CUarray array,
                                 CUdevice) {
  return NotDeferred(array);
}

Error MipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS*,
                                          CUmipmappedArray mipmap, CUdevice) {
  return NotDeferred(mipmap);
}

Error ArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES*, CUarray array) {
  return NotDeferred(array);
}

Error MipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES*,
                                        CUmipmappedArray mipmap) {
  return NotDeferred(mipmap);
}

Error MipmappedArrayCreate(CUmipmappedArray* pHandle,
                           const CUDA_ARRAY3D_DESCRIPTOR* pMipmappedArrayDesc,
                           unsigned numMipmapLevels) {
  if (pHandle == nullptr || pMipmappedArrayDesc == nullptr) {
    return Error::kInvalidValue;
  }
  Error error = CheckUnsafeCall();
  if (error != Error::kSuccess) return error;
  MipmappedArray* array = nullptr;
  error =
      CreateMipmappedArray(CurrentDeviceState(), ShapeOf(*pMipmappedArrayDesc),
                           numMipmapLevels, &array);
  if (error == Error::kSuccess) *pHandle = ToHandle<CUmipmappedArray>(array);
  return error;
}

Error MipmappedArrayGetLevel(CUarray* pLevelArray,
                             CUmipmappedArray hMipmappedArray, unsigned level) {
  return OnMipmapped(hMipmappedArray, [&](const MipmappedArray& array) {
    if (pLevelArray == nullptr || level >= array.levels.size()) {
      return Error::kInvalidValue;
    }
    *pLevelArray = ToHandle<CUarray>(array.levels[level]);
    return Error::kSuccess;
  });
}

Error MipmappedArrayDestroy(CUmipmappedArray hMipmappedArray) {
  return OnMipmapped(hMipmappedArray, [](MipmappedArray& array) {
    return AfterWork(array, DestroyMipmappedArray);
  });
}

Error DeviceGetTexture1DLinearMaxWidth(size_t* maxWidthInElements,
                                       CUarray_format format,
                                       unsigned numChannels, CUdevice dev) {
  return WithDevice(dev, [&](const Device& device) {
    if (maxWidthInElements == nullptr ||
        ElementBytes(format, numChannels) == 0) {
      return Error::kInvalidValue;
    }
    *maxWidthInElements = static_cast<size_t>(*DeviceAttribute(
        device, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH));
    return Error::kSuccess;
  });
}

}  // namespace body
}  // namespace dltap::simgpu
