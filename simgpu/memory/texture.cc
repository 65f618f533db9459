// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/texture.h"

#include <cuda.h>

#include "simgpu/memory/array.h"
#include "simgpu/memory/memory.h"
#include "simgpu/stream/device_attributes.h"

namespace dltap::simgpu {
namespace {

struct Attributes {
  const Device& device;
  size_t operator()(int attribute) const {
    return static_cast<size_t>(DeviceAttribute(device, attribute).value_or(0));
  }
};

bool IsTexturable(const Attributes& of, const void* address, size_t bytes) {
  const size_t alignment = of(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
  return bytes != 0 && FindAllocation(address) && IsInBounds(address, bytes) &&
         reinterpret_cast<uintptr_t>(address) % alignment == 0;
}

bool IsLinear(const Attributes& of, const ResourceDescription& resource) {
  const size_t element = ElementBytes(resource.format, resource.channels);
  return element != 0 &&
         resource.width / element <=
             of(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH) &&
         IsTexturable(of, resource.address, resource.width);
}

bool IsPitched(const Attributes& of, const ResourceDescription& resource) {
  const size_t row_bytes =
      resource.width * ElementBytes(resource.format, resource.channels);
  const size_t pitch = resource.pitch;
  return row_bytes != 0 && resource.height != 0 && pitch >= row_bytes &&
         pitch % of(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT) == 0 &&
         pitch <= of(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH) &&
         resource.width <=
             of(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH) &&
         resource.height <=
             of(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT) &&
         IsTexturable(of, resource.address,
                      (resource.height - 1) * pitch + row_bytes);
}

// The most detailed level; null: the resource has no array.
const Array* ArrayOf(const ResourceDescription& resource) {
  if (resource.type == TextureResource::kArray) {
    return FindArray(resource.array);
  }
  if (resource.type != TextureResource::kMipmappedArray) return nullptr;
  const MipmappedArray* array = FindMipmappedArray(resource.array);
  return array == nullptr ? nullptr : array->levels.front();
}

bool IsResource(const Device& device, const ResourceDescription& resource) {
  if (resource.flags != 0) return false;
  const Attributes attributes{device};
  switch (resource.type) {
    case TextureResource::kArray:
    case TextureResource::kMipmappedArray: return ArrayOf(resource) != nullptr;
    case TextureResource::kLinear: return IsLinear(attributes, resource);
    case TextureResource::kPitched: return IsPitched(attributes, resource);
  }
  return false;
}

bool IsTexture(const ResourceDescription& resource,
               const TextureDescription& texture) {
  constexpr unsigned kKnown =
      CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
      CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP;
  for (const int mode : texture.address_modes) {
    if (mode < CU_TR_ADDRESS_MODE_WRAP || mode > CU_TR_ADDRESS_MODE_BORDER) {
      return false;
    }
  }
  // "For CUDA mipmapped arrays, this flag has to be set."
  if ((texture.flags & ~kKnown) != 0 ||
      (resource.type == TextureResource::kMipmappedArray &&
       (texture.flags & CU_TRSF_NORMALIZED_COORDINATES) == 0)) {
    return false;
  }
  const Array* array = ArrayOf(resource);
  const bool cubemap =
      array != nullptr && (array->shape.flags & kArrayCubemap) != 0;
  return (texture.flags & CU_TRSF_SEAMLESS_CUBEMAP) == 0 || cubemap;
}

bool IsView(const ResourceDescription& resource, const ViewDescription& view) {
  const Array* array = ArrayOf(resource);
  if (array == nullptr || view.first_level > view.last_level ||
      view.first_layer > view.last_layer) {
    return false;
  }
  const size_t levels = resource.type == TextureResource::kMipmappedArray
                            ? FindMipmappedArray(resource.array)->levels.size()
                            : 1;
  const bool layered =
      (array->shape.flags & (kArrayLayered | kArrayCubemap)) != 0;
  return view.last_level < levels &&
         view.last_layer < (layered ? array->shape.slices() : 1);
}

}  // namespace

Error CreateTexture(const Device& device, const ResourceDescription& resource,
                    const TextureDescription& texture,
                    const ViewDescription* view, uint64_t* handle) {
  if (!IsResource(device, resource) || !IsTexture(resource, texture) ||
      (view != nullptr && !IsView(resource, *view))) {
    return Error::kInvalidValue;
  }
  auto* object = HandlePool<TextureObject>::New();
  object->resource = resource;
  object->texture = texture;
  object->has_view = view != nullptr;
  if (object->has_view) object->view = *view;
  *handle = reinterpret_cast<uint64_t>(object);
  return Error::kSuccess;
}

Error CreateSurface(const ResourceDescription& resource, uint64_t* handle) {
  const Array* array = ArrayOf(resource);
  if (resource.type != TextureResource::kArray || resource.flags != 0 ||
      array == nullptr || (array->shape.flags & kArraySurface) == 0) {
    return Error::kInvalidValue;
  }
  auto* object = HandlePool<SurfaceObject>::New();
  object->resource = resource;
  *handle = reinterpret_cast<uint64_t>(object);
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
