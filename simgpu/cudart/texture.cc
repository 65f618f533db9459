// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/texture.h"

#include <cuda.h>

#include <algorithm>
#include <optional>

#include "simgpu/cudart/array_format.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/memory/array.h"
#include "simgpu/stream/device_attributes.h"

namespace dltap::simgpu {
namespace {

bool ReadElement(const cudaChannelFormatDesc& desc, ResourceDescription* out) {
  ElementFormat element;
  if (!ReadChannels(desc, &element)) return false;
  out->format = element.format;
  out->channels = element.channels;
  return true;
}

// nullopt: the elements are none that textures have.
std::optional<ResourceDescription> Read(const cudaResourceDesc& desc) {
  ResourceDescription out;
  out.type = static_cast<TextureResource>(desc.resType);
  out.flags = desc.flags;
  const auto& res = desc.res;
  switch (desc.resType) {
    case cudaResourceTypeArray: out.array = res.array.array; return out;
    case cudaResourceTypeMipmappedArray:
      out.array = res.mipmap.mipmap;
      return out;
    case cudaResourceTypeLinear:
      out.address = res.linear.devPtr;
      out.width = res.linear.sizeInBytes;
      if (!ReadElement(res.linear.desc, &out)) return std::nullopt;
      return out;
    case cudaResourceTypePitch2D:
      out.address = res.pitch2D.devPtr;
      out.width = res.pitch2D.width;
      out.height = res.pitch2D.height;
      out.pitch = res.pitch2D.pitchInBytes;
      if (!ReadElement(res.pitch2D.desc, &out)) return std::nullopt;
      return out;
  }
  return out;
}

cudaResourceDesc Show(const ResourceDescription& resource) {
  cudaResourceDesc desc{};
  desc.resType = static_cast<cudaResourceType>(resource.type);
  auto& res = desc.res;
  const cudaChannelFormatDesc element =
      ChannelsOf({resource.format, resource.channels});
  switch (resource.type) {
    case TextureResource::kArray:
      res.array.array = static_cast<cudaArray_t>(resource.array);
      break;
    case TextureResource::kMipmappedArray:
      res.mipmap.mipmap = static_cast<cudaMipmappedArray_t>(resource.array);
      break;
    case TextureResource::kLinear:
      res.linear.devPtr = resource.address;
      res.linear.desc = element;
      res.linear.sizeInBytes = resource.width;
      break;
    case TextureResource::kPitched:
      res.pitch2D.devPtr = resource.address;
      res.pitch2D.desc = element;
      res.pitch2D.width = resource.width;
      res.pitch2D.height = resource.height;
      res.pitch2D.pitchInBytes = resource.pitch;
      break;
  }
  return desc;
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

TextureDescription Read(const cudaTextureDesc& desc) {
  TextureDescription out{.filter_mode = desc.filterMode,
                         .max_anisotropy = desc.maxAnisotropy,
                         .mipmap_filter_mode = desc.mipmapFilterMode,
                         .mipmap_level_bias = desc.mipmapLevelBias,
                         .min_mipmap_level_clamp = desc.minMipmapLevelClamp,
                         .max_mipmap_level_clamp = desc.maxMipmapLevelClamp};
  std::copy_n(desc.addressMode, 3, out.address_modes.begin());
  std::copy_n(desc.borderColor, 4, out.border_color.begin());
  if (desc.readMode == cudaReadModeElementType) {
    out.flags |= CU_TRSF_READ_AS_INTEGER;
  }
  for (const Flag& row : kFlags) {
    if (desc.*row.field != 0) out.flags |= row.flag;
  }
  return out;
}

cudaTextureDesc Show(const TextureDescription& texture) {
  cudaTextureDesc desc{};
  for (int i = 0; i < 3; ++i) {
    desc.addressMode[i] =
        static_cast<cudaTextureAddressMode>(texture.address_modes[i]);
  }
  std::copy_n(texture.border_color.begin(), 4, desc.borderColor);
  desc.filterMode = static_cast<cudaTextureFilterMode>(texture.filter_mode);
  desc.readMode = (texture.flags & CU_TRSF_READ_AS_INTEGER) != 0
                      ? cudaReadModeElementType
                      : cudaReadModeNormalizedFloat;
  desc.maxAnisotropy = texture.max_anisotropy;
  desc.mipmapFilterMode =
      static_cast<cudaTextureFilterMode>(texture.mipmap_filter_mode);
  desc.mipmapLevelBias = texture.mipmap_level_bias;
  desc.minMipmapLevelClamp = texture.min_mipmap_level_clamp;
  desc.maxMipmapLevelClamp = texture.max_mipmap_level_clamp;
  for (const Flag& row : kFlags) {
    desc.*row.field = (texture.flags & row.flag) != 0 ? 1 : 0;
  }
  return desc;
}

ViewDescription Read(const cudaResourceViewDesc& desc) {
  return {.format = desc.format,
          .width = desc.width,
          .height = desc.height,
          .depth = desc.depth,
          .first_level = desc.firstMipmapLevel,
          .last_level = desc.lastMipmapLevel,
          .first_layer = desc.firstLayer,
          .last_layer = desc.lastLayer};
}

cudaResourceViewDesc Show(const ViewDescription& view) {
  return {.format = static_cast<cudaResourceViewFormat>(view.format),
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
template <ApiName kName, typename Object, typename Out, typename Part>
cudaError_t Get(Out* out, uint64_t handle, Part part) {
  return Runtime<kName>(Needs::kContext, [&] {
    const auto* object = FindObject<Object>(handle);
    if (object == nullptr || out == nullptr) return Error::kInvalidValue;
    const auto* found = part(*object);
    if (found == nullptr) return Error::kInvalidValue;
    *out = Show(*found);
    return Error::kSuccess;
  });
}

template <ApiName kName, typename Object>
cudaError_t Destroy(uint64_t handle) {
  return Runtime<kName>(Needs::kContext, [&] {
    auto* object = FindObject<Object>(handle);
    if (object == nullptr) return Error::kInvalidValue;
    HandlePool<Object>::Delete(object);
    return Error::kSuccess;
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* pTexObject,
                                    const cudaResourceDesc* pResDesc,
                                    const cudaTextureDesc* pTexDesc,
                                    const cudaResourceViewDesc* pResViewDesc) {
  return Runtime<"cudaCreateTextureObject">(Needs::kContext, [&] {
    if (pTexObject == nullptr || pResDesc == nullptr || pTexDesc == nullptr) {
      return Error::kInvalidValue;
    }
    const auto resource = Read(*pResDesc);
    if (!resource) return Error::kInvalidChannelDescriptor;
    ViewDescription view;
    if (pResViewDesc != nullptr) view = Read(*pResViewDesc);
    uint64_t handle = 0;
    const Error error =
        CreateTexture(ActiveDevice(), *resource, Read(*pTexDesc),
                      pResViewDesc == nullptr ? nullptr : &view, &handle);
    if (error == Error::kSuccess) *pTexObject = handle;
    return error;
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject) {
  return Destroy<"cudaDestroyTextureObject", TextureObject>(texObject);
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* pResDesc,
                                             cudaTextureObject_t texObject) {
  return Get<"cudaGetTextureObjectResourceDesc", TextureObject>(
      pResDesc, texObject,
      [](const TextureObject& object) { return &object.resource; });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* pTexDesc,
                                            cudaTextureObject_t texObject) {
  return Get<"cudaGetTextureObjectTextureDesc", TextureObject>(
      pTexDesc, texObject,
      [](const TextureObject& object) { return &object.texture; });
}

// "If no resource view was specified, cudaErrorInvalidValue is returned."
cudaError_t cudaGetTextureObjectResourceViewDesc(
    cudaResourceViewDesc* pResViewDesc, cudaTextureObject_t texObject) {
  return Get<"cudaGetTextureObjectResourceViewDesc", TextureObject>(
      pResViewDesc, texObject, [](const TextureObject& object) {
        return object.has_view ? &object.view : nullptr;
      });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* pSurfObject,
                                    const cudaResourceDesc* pResDesc) {
  return Runtime<"cudaCreateSurfaceObject">(Needs::kContext, [&] {
    if (pSurfObject == nullptr || pResDesc == nullptr ||
        pResDesc->resType != cudaResourceTypeArray) {
      return Error::kInvalidValue;
    }
    if (FindArray(pResDesc->res.array.array) == nullptr) {
      return Error::kInvalidHandle;
    }
    uint64_t handle = 0;
    const Error error = CreateSurface(*Read(*pResDesc), &handle);
    if (error == Error::kSuccess) *pSurfObject = handle;
    return error;
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject) {
  return Destroy<"cudaDestroySurfaceObject", SurfaceObject>(surfObject);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* pResDesc,
                                             cudaSurfaceObject_t surfObject) {
  return Get<"cudaGetSurfaceObjectResourceDesc", SurfaceObject>(
      pResDesc, surfObject,
      [](const SurfaceObject& object) { return &object.resource; });
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(
    size_t* maxWidthInElements, const cudaChannelFormatDesc* fmtDesc,
    int device) {
  return Runtime<"cudaDeviceGetTexture1DLinearMaxWidth">(Needs::kDriver, [&] {
    const Device* found = FindDevice(device);
    if (found == nullptr) return Error::kInvalidDevice;
    ElementFormat element;
    if (maxWidthInElements == nullptr || fmtDesc == nullptr ||
        !ReadChannels(*fmtDesc, &element)) {
      return Error::kInvalidValue;
    }
    *maxWidthInElements = static_cast<size_t>(*DeviceAttribute(
        *found, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH));
    return Error::kSuccess;
  });
}
