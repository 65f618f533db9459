// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_TEXTURE_H_
#define DLTAP_SIMGPU_MEMORY_TEXTURE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "simgpu/base/error.h"
#include "simgpu/base/handle.h"

namespace dltap::simgpu {

struct Device;

// Numbered as cudaResourceType and CUresourcetype.
enum class TextureResource : int {
  kArray = 0,
  kMipmappedArray = 1,
  kLinear = 2,
  kPitched = 3
};

// What a texture or surface object was made from, the same for both APIs; enums
// and flags are numbered as the driver's (CU_TRSF_*).
struct ResourceDescription {
  TextureResource type = TextureResource::kArray;
  void* array = nullptr;  // the handle, of either kind of array
  void* address = nullptr;
  unsigned format = 0;
  unsigned channels = 0;
  size_t width = 0;  // bytes of kLinear, elements of kPitched
  size_t height = 0;
  size_t pitch = 0;
  unsigned flags = 0;
};

struct TextureDescription {
  std::array<int, 3> address_modes{};
  int filter_mode = 0;
  unsigned flags = 0;
  unsigned max_anisotropy = 0;
  int mipmap_filter_mode = 0;
  float mipmap_level_bias = 0;
  float min_mipmap_level_clamp = 0;
  float max_mipmap_level_clamp = 0;
  std::array<float, 4> border_color{};
};

struct ViewDescription {
  int format = 0;
  size_t width = 0;
  size_t height = 0;
  size_t depth = 0;
  unsigned first_level = 0;
  unsigned last_level = 0;
  unsigned first_layer = 0;
  unsigned last_layer = 0;
};

// A cudaTextureObject_t / CUtexObject. Kernels do not compute, so nothing reads
// through it.
struct TextureObject : Handle {
  static constexpr uint32_t kTag = 0x54455854;  // "TEXT"
  TextureObject() : Handle(kTag) {}
  ResourceDescription resource;
  TextureDescription texture;
  ViewDescription view;
  bool has_view = false;
};

// A cudaSurfaceObject_t / CUsurfObject.
struct SurfaceObject : Handle {
  static constexpr uint32_t kTag = 0x53555246;  // "SURF"
  SurfaceObject() : Handle(kTag) {}
  ResourceDescription resource;
};

template <typename Object>
Object* FindObject(uint64_t handle) {
  return FromHandle<Object>(reinterpret_cast<const void*>(handle));
}

// kInvalidValue unless the descriptions are what cuTexObjectCreate asks of them
// on this device. `view` may be null.
Error CreateTexture(const Device& device, const ResourceDescription& resource,
                    const TextureDescription& texture,
                    const ViewDescription* view, uint64_t* handle);

// Of an array made for surfaces.
Error CreateSurface(const ResourceDescription& resource, uint64_t* handle);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_TEXTURE_H_
