// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/array.h"

#include "simgpu/driver/driver_call.h"
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

template <ApiName kName, typename Desc>
CUresult MakeArray(CUarray* out, const Desc* desc) {
  return Driver<kName>(DriverNeeds::kContext, [&] {
    if (out == nullptr || desc == nullptr) return Error::kInvalidValue;
    Error error = CheckUnsafeCall();
    if (error != Error::kSuccess) return error;
    Array* array = nullptr;
    error = CreateArray(CurrentDeviceState(), ShapeOf(*desc), &array);
    if (error == Error::kSuccess) *out = ToHandle<CUarray>(array);
    return error;
  });
}

template <ApiName kName, typename Body>
CUresult OnArray(CUarray handle, Body body) {
  return Driver<kName>(DriverNeeds::kContext, [&] {
    Array* array = FindArray(handle);
    return array == nullptr ? Error::kInvalidHandle : body(*array);
  });
}

template <ApiName kName, typename Body>
CUresult OnMipmapped(CUmipmappedArray handle, Body body) {
  return Driver<kName>(DriverNeeds::kContext, [&] {
    MipmappedArray* array = FindMipmappedArray(handle);
    return array == nullptr ? Error::kInvalidHandle : body(*array);
  });
}

template <ApiName kName, typename Desc>
CUresult Describe(Desc* out, CUarray handle) {
  return OnArray<kName>(handle, [&](const Array& array) {
    if (out == nullptr) return Error::kInvalidValue;
    *out = DescOf<Desc>(array.shape);
    return Error::kSuccess;
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
template <ApiName kName>
CUresult NotDeferred(CUarray array) {
  return OnArray<kName>(array,
                        [](const Array&) { return Error::kInvalidValue; });
}
template <ApiName kName>
CUresult NotDeferred(CUmipmappedArray array) {
  return OnMipmapped<kName>(
      array, [](const MipmappedArray&) { return Error::kInvalidValue; });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuArrayCreate(CUarray* pHandle,
                       const CUDA_ARRAY_DESCRIPTOR_v1* pAllocateArray) {
  return MakeArray<"cuArrayCreate">(pHandle, pAllocateArray);
}

CUresult cuArrayCreate_v2(CUarray* pHandle,
                          const CUDA_ARRAY_DESCRIPTOR* pAllocateArray) {
  return MakeArray<"cuArrayCreate_v2">(pHandle, pAllocateArray);
}

CUresult cuArray3DCreate(CUarray* pHandle,
                         const CUDA_ARRAY3D_DESCRIPTOR_v1* pAllocateArray) {
  return MakeArray<"cuArray3DCreate">(pHandle, pAllocateArray);
}

CUresult cuArray3DCreate_v2(CUarray* pHandle,
                            const CUDA_ARRAY3D_DESCRIPTOR* pAllocateArray) {
  return MakeArray<"cuArray3DCreate_v2">(pHandle, pAllocateArray);
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR_v1* pArrayDescriptor,
                              CUarray hArray) {
  return Describe<"cuArrayGetDescriptor">(pArrayDescriptor, hArray);
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* pArrayDescriptor,
                                 CUarray hArray) {
  return Describe<"cuArrayGetDescriptor_v2">(pArrayDescriptor, hArray);
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR_v1* pArrayDescriptor,
                                CUarray hArray) {
  return Describe<"cuArray3DGetDescriptor">(pArrayDescriptor, hArray);
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* pArrayDescriptor,
                                   CUarray hArray) {
  return Describe<"cuArray3DGetDescriptor_v2">(pArrayDescriptor, hArray);
}

CUresult cuArrayDestroy(CUarray hArray) {
  return OnArray<"cuArrayDestroy">(
      hArray, [](Array& array) { return AfterWork(array, DestroyArray); });
}

CUresult cuArrayGetPlane(CUarray*, CUarray hArray, unsigned int) {
  // "If the array does not have a multi-planar format."
  return NotDeferred<"cuArrayGetPlane">(hArray);
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS*,
                                      CUarray array, CUdevice) {
  return NotDeferred<"cuArrayGetMemoryRequirements">(array);
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS*,
                                               CUmipmappedArray mipmap,
                                               CUdevice) {
  return NotDeferred<"cuMipmappedArrayGetMemoryRequirements">(mipmap);
}

CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES*,
                                    CUarray array) {
  return NotDeferred<"cuArrayGetSparseProperties">(array);
}

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES*,
                                             CUmipmappedArray mipmap) {
  return NotDeferred<"cuMipmappedArrayGetSparseProperties">(mipmap);
}

CUresult cuMipmappedArrayCreate(
    CUmipmappedArray* pHandle,
    const CUDA_ARRAY3D_DESCRIPTOR* pMipmappedArrayDesc,
    unsigned int numMipmapLevels) {
  return Driver<"cuMipmappedArrayCreate">(DriverNeeds::kContext, [&] {
    if (pHandle == nullptr || pMipmappedArrayDesc == nullptr) {
      return Error::kInvalidValue;
    }
    Error error = CheckUnsafeCall();
    if (error != Error::kSuccess) return error;
    MipmappedArray* array = nullptr;
    error = CreateMipmappedArray(CurrentDeviceState(),
                                 ShapeOf(*pMipmappedArrayDesc), numMipmapLevels,
                                 &array);
    if (error == Error::kSuccess) *pHandle = ToHandle<CUmipmappedArray>(array);
    return error;
  });
}

CUresult cuMipmappedArrayGetLevel(CUarray* pLevelArray,
                                  CUmipmappedArray hMipmappedArray,
                                  unsigned int level) {
  return OnMipmapped<"cuMipmappedArrayGetLevel">(
      hMipmappedArray, [&](const MipmappedArray& array) {
        if (pLevelArray == nullptr || level >= array.levels.size()) {
          return Error::kInvalidValue;
        }
        *pLevelArray = ToHandle<CUarray>(array.levels[level]);
        return Error::kSuccess;
      });
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray) {
  return OnMipmapped<"cuMipmappedArrayDestroy">(
      hMipmappedArray, [](MipmappedArray& array) {
        return AfterWork(array, DestroyMipmappedArray);
      });
}

CUresult cuMemMapArrayAsync(CUarrayMapInfo*, unsigned int, CUstream) {
  // Sparse arrays, which alone are mapped, cannot be made here.
  return Driver<"cuMemMapArrayAsync">(DriverNeeds::kContext,
                                      [] { return Error::kNotSupported; });
}

CUresult cuMemMapArrayAsync_ptsz(CUarrayMapInfo*, unsigned int, CUstream) {
  // Sparse arrays, which alone are mapped, cannot be made here.
  return Driver<"cuMemMapArrayAsync_ptsz">(DriverNeeds::kContext,
                                           [] { return Error::kNotSupported; });
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t* maxWidthInElements,
                                            CUarray_format format,
                                            unsigned int numChannels,
                                            CUdevice dev) {
  return OnDevice<"cuDeviceGetTexture1DLinearMaxWidth">(
      dev, [&](const Device& device) {
        if (maxWidthInElements == nullptr ||
            ElementBytes(format, numChannels) == 0) {
          return Error::kInvalidValue;
        }
        *maxWidthInElements = static_cast<size_t>(*DeviceAttribute(
            device, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH));
        return Error::kSuccess;
      });
}
