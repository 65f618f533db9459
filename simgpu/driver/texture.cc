// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/texture.h"

#include <algorithm>

#include "simgpu/driver/driver_body.h"

namespace dltap::simgpu {
namespace {

ResourceDescription Read(const CUDA_RESOURCE_DESC& desc) {
  ResourceDescription out;
  out.type = static_cast<TextureResource>(desc.resType);
  out.flags = desc.flags;
  const auto& res = desc.res;
  switch (desc.resType) {
    case CU_RESOURCE_TYPE_ARRAY: out.array = res.array.hArray; break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      out.array = res.mipmap.hMipmappedArray;
      break;
    case CU_RESOURCE_TYPE_LINEAR:
      out.address = ToPointer(res.linear.devPtr);
      out.format = res.linear.format;
      out.channels = res.linear.numChannels;
      out.width = res.linear.sizeInBytes;
      break;
    case CU_RESOURCE_TYPE_PITCH2D:
      out.address = ToPointer(res.pitch2D.devPtr);
      out.format = res.pitch2D.format;
      out.channels = res.pitch2D.numChannels;
      out.width = res.pitch2D.width;
      out.height = res.pitch2D.height;
      out.pitch = res.pitch2D.pitchInBytes;
      break;
  }
  return out;
}

CUDA_RESOURCE_DESC Show(const ResourceDescription& resource) {
  CUDA_RESOURCE_DESC desc{};
  desc.resType = static_cast<CUresourcetype>(resource.type);
  auto& res = desc.res;
  const auto format = static_cast<CUarray_format>(resource.format);
  switch (resource.type) {
    case TextureResource::kArray:
      res.array.hArray = static_cast<CUarray>(resource.array);
      break;
    case TextureResource::kMipmappedArray:
      res.mipmap.hMipmappedArray =
          static_cast<CUmipmappedArray>(resource.array);
      break;
    case TextureResource::kLinear:
      res.linear.devPtr = ToAddress(resource.address);
      res.linear.format = format;
      res.linear.numChannels = resource.channels;
      res.linear.sizeInBytes = resource.width;
      break;
    case TextureResource::kPitched:
      res.pitch2D.devPtr = ToAddress(resource.address);
      res.pitch2D.format = format;
      res.pitch2D.numChannels = resource.channels;
      res.pitch2D.width = resource.width;
      res.pitch2D.height = resource.height;
      res.pitch2D.pitchInBytes = resource.pitch;
      break;
  }
  return desc;
}

TextureDescription Read(const CUDA_TEXTURE_DESC& desc) {
  TextureDescription out{.filter_mode = desc.filterMode,
                         .flags = desc.flags,
                         .max_anisotropy = desc.maxAnisotropy,
                         .mipmap_filter_mode = desc.mipmapFilterMode,
                         .mipmap_level_bias = desc.mipmapLevelBias,
                         .min_mipmap_level_clamp = desc.minMipmapLevelClamp,
                         .max_mipmap_level_clamp = desc.maxMipmapLevelClamp};
  std::copy_n(desc.addressMode, 3, out.address_modes.begin());
  std::copy_n(desc.borderColor, 4, out.border_color.begin());
  return out;
}

CUDA_TEXTURE_DESC Show(const TextureDescription& texture) {
  CUDA_TEXTURE_DESC desc{};
  for (int i = 0; i < 3; ++i) {
    desc.addressMode[i] = static_cast<CUaddress_mode>(texture.address_modes[i]);
  }
  std::copy_n(texture.border_color.begin(), 4, desc.borderColor);
  desc.filterMode = static_cast<CUfilter_mode>(texture.filter_mode);
  desc.flags = texture.flags;
  desc.maxAnisotropy = texture.max_anisotropy;
  desc.mipmapFilterMode =
      static_cast<CUfilter_mode>(texture.mipmap_filter_mode);
  desc.mipmapLevelBias = texture.mipmap_level_bias;
  desc.minMipmapLevelClamp = texture.min_mipmap_level_clamp;
  desc.maxMipmapLevelClamp = texture.max_mipmap_level_clamp;
  return desc;
}

ViewDescription Read(const CUDA_RESOURCE_VIEW_DESC& desc) {
  return {.format = desc.format,
          .width = desc.width,
          .height = desc.height,
          .depth = desc.depth,
          .first_level = desc.firstMipmapLevel,
          .last_level = desc.lastMipmapLevel,
          .first_layer = desc.firstLayer,
          .last_layer = desc.lastLayer};
}

CUDA_RESOURCE_VIEW_DESC Show(const ViewDescription& view) {
  return {.format = static_cast<CUresourceViewFormat>(view.format),
          .width = view.width,
          .height = view.height,
          .depth = view.depth,
          .firstMipmapLevel = view.first_level,
          .lastMipmapLevel = view.last_level,
          .firstLayer = view.first_layer,
          .lastLayer = view.last_layer,
          .reserved = {}};
}

// Shows what `part` finds in the object; null: it has no such part.
template <typename Object, typename Out, typename Part>
Error Get(Out* out, uint64_t handle, Part part) {
  const auto* object = FindObject<Object>(handle);
  if (object == nullptr || out == nullptr) return Error::kInvalidValue;
  const auto* found = part(*object);
  if (found == nullptr) return Error::kInvalidValue;
  *out = Show(*found);
  return Error::kSuccess;
}

template <typename Object>
Error Destroy(uint64_t handle) {
  auto* object = FindObject<Object>(handle);
  if (object == nullptr) return Error::kInvalidValue;
  HandlePool<Object>::Delete(object);
  return Error::kSuccess;
}

}  // namespace

namespace body {

Error TexObjectCreate(CUtexObject* pTexObject,
                      const CUDA_RESOURCE_DESC* pResDesc,
                      const CUDA_TEXTURE_DESC* pTexDesc,
                      const CUDA_RESOURCE_VIEW_DESC* pResViewDesc) {
  if (pTexObject == nullptr || pResDesc == nullptr || pTexDesc == nullptr) {
    return Error::kInvalidValue;
  }
  ViewDescription view;
  if (pResViewDesc != nullptr) view = Read(*pResViewDesc);
  uint64_t handle = 0;
  const Error error =
      CreateTexture(CurrentDeviceState(), Read(*pResDesc), Read(*pTexDesc),
                    pResViewDesc == nullptr ? nullptr : &view, &handle);
  if (error == Error::kSuccess) *pTexObject = handle;
  return error;
}

Error TexObjectDestroy(CUtexObject texObject) {
  return Destroy<TextureObject>(texObject);
}

Error TexObjectGetResourceDesc(CUDA_RESOURCE_DESC* pResDesc,
                               CUtexObject texObject) {
  return Get<TextureObject>(
      pResDesc, texObject,
      [](const TextureObject& object) { return &object.resource; });
}

Error TexObjectGetTextureDesc(CUDA_TEXTURE_DESC* pTexDesc,
                              CUtexObject texObject) {
  return Get<TextureObject>(
      pTexDesc, texObject,
      [](const TextureObject& object) { return &object.texture; });
}

// "If no resource view was specified, CUDA_ERROR_INVALID_VALUE is returned."
Error TexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* pResViewDesc,
                                   CUtexObject texObject) {
  return Get<TextureObject>(pResViewDesc, texObject,
                            [](const TextureObject& object) {
                              return object.has_view ? &object.view : nullptr;
                            });
}

Error SurfObjectCreate(CUsurfObject* pSurfObject,
                       const CUDA_RESOURCE_DESC* pResDesc) {
  if (pSurfObject == nullptr || pResDesc == nullptr) {
    return Error::kInvalidValue;
  }
  uint64_t handle = 0;
  const Error error = CreateSurface(Read(*pResDesc), &handle);
  if (error == Error::kSuccess) *pSurfObject = handle;
  return error;
}

Error SurfObjectDestroy(CUsurfObject surfObject) {
  return Destroy<SurfaceObject>(surfObject);
}

Error SurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* pResDesc,
                                CUsurfObject surfObject) {
  return Get<SurfaceObject>(
      pResDesc, surfObject,
      [](const SurfaceObject& object) { return &object.resource; });
}

}  // namespace body
}  // namespace dltap::simgpu
