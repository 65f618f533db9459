// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "simgpu/cudart/array_format.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/driver/driver_body.h"
#include "simgpu/memory/array.h"

namespace dltap::simgpu {
namespace {

// False: the elements are none that textures have.
bool Read(const cudaResourceDesc& desc, CUDA_RESOURCE_DESC* out) {
  *out = {};
  out->resType = static_cast<CUresourcetype>(desc.resType);
  out->flags = desc.flags;
  const auto& from = desc.res;
  auto& to = out->res;
  ElementFormat element;
  switch (desc.resType) {
    case cudaResourceTypeArray:
      to.array.hArray = ToHandle<CUarray>(from.array.array);
      return true;
    case cudaResourceTypeMipmappedArray:
      to.mipmap.hMipmappedArray =
          ToHandle<CUmipmappedArray>(from.mipmap.mipmap);
      return true;
    case cudaResourceTypeLinear:
      if (!ReadChannels(from.linear.desc, &element)) return false;
      to.linear.devPtr = ToAddress(from.linear.devPtr);
      to.linear.format = static_cast<CUarray_format>(element.format);
      to.linear.numChannels = element.channels;
      to.linear.sizeInBytes = from.linear.sizeInBytes;
      return true;
    case cudaResourceTypePitch2D:
      if (!ReadChannels(from.pitch2D.desc, &element)) return false;
      to.pitch2D.devPtr = ToAddress(from.pitch2D.devPtr);
      to.pitch2D.format = static_cast<CUarray_format>(element.format);
      to.pitch2D.numChannels = element.channels;
      to.pitch2D.width = from.pitch2D.width;
      to.pitch2D.height = from.pitch2D.height;
      to.pitch2D.pitchInBytes = from.pitch2D.pitchInBytes;
      return true;
  }
  return true;
}

void Show(const CUDA_RESOURCE_DESC& desc, cudaResourceDesc* out) {
  *out = {};
  out->resType = static_cast<cudaResourceType>(desc.resType);
  const auto& from = desc.res;
  auto& to = out->res;
  switch (desc.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      to.array.array = ToHandle<cudaArray_t>(from.array.hArray);
      break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      to.mipmap.mipmap =
          ToHandle<cudaMipmappedArray_t>(from.mipmap.hMipmappedArray);
      break;
    case CU_RESOURCE_TYPE_LINEAR:
      to.linear.devPtr = ToPointer(from.linear.devPtr);
      to.linear.desc =
          ChannelsOf({from.linear.format, from.linear.numChannels});
      to.linear.sizeInBytes = from.linear.sizeInBytes;
      break;
    case CU_RESOURCE_TYPE_PITCH2D:
      to.pitch2D.devPtr = ToPointer(from.pitch2D.devPtr);
      to.pitch2D.desc =
          ChannelsOf({from.pitch2D.format, from.pitch2D.numChannels});
      to.pitch2D.width = from.pitch2D.width;
      to.pitch2D.height = from.pitch2D.height;
      to.pitch2D.pitchInBytes = from.pitch2D.pitchInBytes;
      break;
  }
}

// Fields of cudaTextureDesc that are a flag of the driver's.
struct Flag {
  int cudaTextureDesc::*field;
  unsigned flag;
};
constexpr Flag kFlags[] = {
    {&cudaTextureDesc::sRGB, CU_TRSF_SRGB},
    {&cudaTextureDesc::normalizedCoords, CU_TRSF_NORMALIZED_COORDINATES},
    {&cudaTextureDesc::disableTrilinearOptimization,
     CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION},
    {&cudaTextureDesc::seamlessCubemap, CU_TRSF_SEAMLESS_CUBEMAP},
};

CUDA_TEXTURE_DESC Read(const cudaTextureDesc& desc) {
  CUDA_TEXTURE_DESC out{};
  for (int i = 0; i < 3; ++i) {
    out.addressMode[i] = static_cast<CUaddress_mode>(desc.addressMode[i]);
  }
  std::copy_n(desc.borderColor, 4, out.borderColor);
  out.filterMode = static_cast<CUfilter_mode>(desc.filterMode);
  out.maxAnisotropy = desc.maxAnisotropy;
  out.mipmapFilterMode = static_cast<CUfilter_mode>(desc.mipmapFilterMode);
  out.mipmapLevelBias = desc.mipmapLevelBias;
  out.minMipmapLevelClamp = desc.minMipmapLevelClamp;
  out.maxMipmapLevelClamp = desc.maxMipmapLevelClamp;
  if (desc.readMode == cudaReadModeElementType) {
    out.flags |= CU_TRSF_READ_AS_INTEGER;
  }
  for (const Flag& row : kFlags) {
    if (desc.*row.field != 0) out.flags |= row.flag;
  }
  return out;
}

void Show(const CUDA_TEXTURE_DESC& desc, cudaTextureDesc* out) {
  *out = {};
  for (int i = 0; i < 3; ++i) {
    out->addressMode[i] =
        static_cast<cudaTextureAddressMode>(desc.addressMode[i]);
  }
  std::copy_n(desc.borderColor, 4, out->borderColor);
  out->filterMode = static_cast<cudaTextureFilterMode>(desc.filterMode);
  out->readMode = (desc.flags & CU_TRSF_READ_AS_INTEGER) != 0
                      ? cudaReadModeElementType
                      : cudaReadModeNormalizedFloat;
  out->maxAnisotropy = desc.maxAnisotropy;
  out->mipmapFilterMode =
      static_cast<cudaTextureFilterMode>(desc.mipmapFilterMode);
  out->mipmapLevelBias = desc.mipmapLevelBias;
  out->minMipmapLevelClamp = desc.minMipmapLevelClamp;
  out->maxMipmapLevelClamp = desc.maxMipmapLevelClamp;
  for (const Flag& row : kFlags) {
    out->*row.field = (desc.flags & row.flag) != 0 ? 1 : 0;
  }
}

// Asks the driver's body for its description, and shows it as the runtime's.
template <typename Desc, typename Out, typename Object>
Error GetAs(Error (*get)(Desc*, Object), Out* out, Object object) {
  if (out == nullptr) return Error::kInvalidValue;
  Desc desc{};
  const Error error = get(&desc, object);
  if (error == Error::kSuccess) Show(desc, out);
  return error;
}

}  // namespace

namespace body {

Error CreateTextureObject(cudaTextureObject_t* out,
                          const cudaResourceDesc* resource_desc,
                          const cudaTextureDesc* texture_desc,
                          const cudaResourceViewDesc* view) {
  if (out == nullptr || resource_desc == nullptr || texture_desc == nullptr) {
    return Error::kInvalidValue;
  }
  CUDA_RESOURCE_DESC resource;
  if (!Read(*resource_desc, &resource)) {
    return Error::kInvalidChannelDescriptor;
  }
  const CUDA_TEXTURE_DESC texture = Read(*texture_desc);
  return TexObjectCreate(
      out, &resource, &texture,
      reinterpret_cast<const CUDA_RESOURCE_VIEW_DESC*>(view));
}

Error GetTextureObjectResourceDesc(cudaResourceDesc* out,
                                   cudaTextureObject_t object) {
  return GetAs(TexObjectGetResourceDesc, out, object);
}

Error GetTextureObjectTextureDesc(cudaTextureDesc* out,
                                  cudaTextureObject_t object) {
  return GetAs(TexObjectGetTextureDesc, out, object);
}

Error CreateSurfaceObject(cudaSurfaceObject_t* out,
                          const cudaResourceDesc* desc) {
  if (out == nullptr || desc == nullptr ||
      desc->resType != cudaResourceTypeArray) {
    return Error::kInvalidValue;
  }
  if (FindArray(desc->res.array.array) == nullptr) return Error::kInvalidHandle;
  CUDA_RESOURCE_DESC resource;
  Read(*desc, &resource);
  return SurfObjectCreate(out, &resource);
}

Error GetSurfaceObjectResourceDesc(cudaResourceDesc* out,
                                   cudaSurfaceObject_t object) {
  return GetAs(SurfObjectGetResourceDesc, out, object);
}

Error DeviceGetTexture1DLinearMaxWidth(size_t* out,
                                       const cudaChannelFormatDesc* desc,
                                       int ordinal) {
  ElementFormat element;
  const bool known = desc != nullptr && ReadChannels(*desc, &element);
  return DeviceGetTexture1DLinearMaxWidth(
      known ? out : nullptr, static_cast<CUarray_format>(element.format),
      element.channels, ordinal);
}

}  // namespace body
}  // namespace dltap::simgpu
