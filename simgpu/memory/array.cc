// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/array.h"

#include <cuda.h>

#include <algorithm>
#include <bit>

#include "simgpu/memory/memory.h"
#include "simgpu/stream/device.h"
#include "simgpu/stream/device_attributes.h"

namespace dltap::simgpu {
namespace {

struct FormatRow {
  unsigned format;
  size_t bytes;       // of a channel
  unsigned channels;  // 0: 1, 2 or 4
};
constexpr FormatRow kFormats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 1, 0},  {CU_AD_FORMAT_UNSIGNED_INT16, 2, 0},
    {CU_AD_FORMAT_UNSIGNED_INT32, 4, 0}, {CU_AD_FORMAT_SIGNED_INT8, 1, 0},
    {CU_AD_FORMAT_SIGNED_INT16, 2, 0},   {CU_AD_FORMAT_SIGNED_INT32, 4, 0},
    {CU_AD_FORMAT_HALF, 2, 0},           {CU_AD_FORMAT_FLOAT, 4, 0},
    {CU_AD_FORMAT_UNORM_INT8X1, 1, 1},   {CU_AD_FORMAT_UNORM_INT8X2, 1, 2},
    {CU_AD_FORMAT_UNORM_INT8X4, 1, 4},   {CU_AD_FORMAT_UNORM_INT16X1, 2, 1},
    {CU_AD_FORMAT_UNORM_INT16X2, 2, 2},  {CU_AD_FORMAT_UNORM_INT16X4, 2, 4},
    {CU_AD_FORMAT_SNORM_INT8X1, 1, 1},   {CU_AD_FORMAT_SNORM_INT8X2, 1, 2},
    {CU_AD_FORMAT_SNORM_INT8X4, 1, 4},   {CU_AD_FORMAT_SNORM_INT16X1, 2, 1},
    {CU_AD_FORMAT_SNORM_INT16X2, 2, 2},  {CU_AD_FORMAT_SNORM_INT16X4, 2, 4},
};

// Which attributes limit an array (cuArray3DCreate, table of valid extents).
// 0: that dimension must be absent.
struct Limits {
  int width;
  int height;
  int depth;
};
enum Form {
  k1D,
  k2D,
  k3D,
  k1DLayered,
  k2DLayered,
  kCubemap,
  kCubemapLayered,
  kGather,
  kFormCount
};
#define DLTAP_LIMIT(name) CU_DEVICE_ATTRIBUTE_MAXIMUM_##name
constexpr Limits kTexture[kFormCount] = {
    {DLTAP_LIMIT(TEXTURE1D_WIDTH), 0, 0},
    {DLTAP_LIMIT(TEXTURE2D_WIDTH), DLTAP_LIMIT(TEXTURE2D_HEIGHT), 0},
    {DLTAP_LIMIT(TEXTURE3D_WIDTH), DLTAP_LIMIT(TEXTURE3D_HEIGHT),
     DLTAP_LIMIT(TEXTURE3D_DEPTH)},
    {DLTAP_LIMIT(TEXTURE1D_LAYERED_WIDTH), 0,
     DLTAP_LIMIT(TEXTURE1D_LAYERED_LAYERS)},
    {DLTAP_LIMIT(TEXTURE2D_LAYERED_WIDTH),
     DLTAP_LIMIT(TEXTURE2D_LAYERED_HEIGHT),
     DLTAP_LIMIT(TEXTURE2D_LAYERED_LAYERS)},
    {DLTAP_LIMIT(TEXTURECUBEMAP_WIDTH), DLTAP_LIMIT(TEXTURECUBEMAP_WIDTH),
     DLTAP_LIMIT(TEXTURECUBEMAP_LAYERED_LAYERS)},
    {DLTAP_LIMIT(TEXTURECUBEMAP_LAYERED_WIDTH),
     DLTAP_LIMIT(TEXTURECUBEMAP_LAYERED_WIDTH),
     DLTAP_LIMIT(TEXTURECUBEMAP_LAYERED_LAYERS)},
    {DLTAP_LIMIT(TEXTURE2D_GATHER_WIDTH), DLTAP_LIMIT(TEXTURE2D_GATHER_HEIGHT),
     0},
};
constexpr Limits kSurface[kFormCount] = {
    {DLTAP_LIMIT(SURFACE1D_WIDTH), 0, 0},
    {DLTAP_LIMIT(SURFACE2D_WIDTH), DLTAP_LIMIT(SURFACE2D_HEIGHT), 0},
    {DLTAP_LIMIT(SURFACE3D_WIDTH), DLTAP_LIMIT(SURFACE3D_HEIGHT),
     DLTAP_LIMIT(SURFACE3D_DEPTH)},
    {DLTAP_LIMIT(SURFACE1D_LAYERED_WIDTH), 0,
     DLTAP_LIMIT(SURFACE1D_LAYERED_LAYERS)},
    {DLTAP_LIMIT(SURFACE2D_LAYERED_WIDTH),
     DLTAP_LIMIT(SURFACE2D_LAYERED_HEIGHT),
     DLTAP_LIMIT(SURFACE2D_LAYERED_LAYERS)},
    {DLTAP_LIMIT(SURFACECUBEMAP_WIDTH), DLTAP_LIMIT(SURFACECUBEMAP_WIDTH),
     DLTAP_LIMIT(SURFACECUBEMAP_LAYERED_LAYERS)},
    {DLTAP_LIMIT(SURFACECUBEMAP_LAYERED_WIDTH),
     DLTAP_LIMIT(SURFACECUBEMAP_LAYERED_WIDTH),
     DLTAP_LIMIT(SURFACECUBEMAP_LAYERED_LAYERS)},
    {DLTAP_LIMIT(SURFACE2D_WIDTH), DLTAP_LIMIT(SURFACE2D_HEIGHT), 0},
};
// Of 3-D arrays without surfaces, "or".
constexpr Limits kAlternate3D{DLTAP_LIMIT(TEXTURE3D_WIDTH_ALTERNATE),
                              DLTAP_LIMIT(TEXTURE3D_HEIGHT_ALTERNATE),
                              DLTAP_LIMIT(TEXTURE3D_DEPTH_ALTERNATE)};
// Of mipmapped arrays, where the row above does not hold.
constexpr Limits kMipmapped1D{DLTAP_LIMIT(TEXTURE1D_MIPMAPPED_WIDTH), 0, 0};
constexpr Limits kMipmapped2D{DLTAP_LIMIT(TEXTURE2D_MIPMAPPED_WIDTH),
                              DLTAP_LIMIT(TEXTURE2D_MIPMAPPED_HEIGHT), 0};
#undef DLTAP_LIMIT

Form FormOf(const ArrayShape& shape) {
  const bool layered = (shape.flags & kArrayLayered) != 0;
  if ((shape.flags & kArrayCubemap) != 0) {
    return layered ? kCubemapLayered : kCubemap;
  }
  if (layered) return shape.height == 0 ? k1DLayered : k2DLayered;
  if ((shape.flags & kArrayGather) != 0) return kGather;
  if (shape.depth != 0) return k3D;
  return shape.height != 0 ? k2D : k1D;
}

bool Fits(const Device& device, const ArrayShape& shape, const Limits& limits) {
  const auto fits = [&](size_t extent, int attribute) {
    if (attribute == 0) return extent == 0;
    const int most = DeviceAttribute(device, attribute).value_or(0);
    return extent >= 1 && extent <= static_cast<size_t>(most);
  };
  return fits(shape.width, limits.width) && fits(shape.height, limits.height) &&
         fits(shape.depth, limits.depth);
}

bool IsPossible(const Device& device, const ArrayShape& shape) {
  constexpr unsigned kKnown =
      kArrayLayered | kArraySurface | kArrayCubemap | kArrayGather;
  const Form form = FormOf(shape);
  const bool fits = Fits(device, shape, kTexture[form]) ||
                    (form == k3D && Fits(device, shape, kAlternate3D));
  if ((shape.flags & ~kKnown) != 0 || !fits) return false;
  if ((shape.flags & kArraySurface) != 0 &&
      !Fits(device, shape, kSurface[form])) {
    return false;
  }
  if (form == kCubemap && shape.depth != 6) return false;
  return (shape.flags & kArrayCubemap) == 0 ||
         (shape.width == shape.height && shape.depth % 6 == 0);
}

Error CheckShape(const Device& device, const ArrayShape& shape) {
  if ((shape.flags & (kArraySparse | kArrayDeferred)) != 0) {
    return Error::kNotSupported;
  }
  return ElementBytes(shape.format, shape.channels) != 0 &&
                 IsPossible(device, shape)
             ? Error::kSuccess
             : Error::kInvalidValue;
}

size_t BytesOf(const ArrayShape& shape) {
  return shape.width * ElementBytes(shape.format, shape.channels) *
         shape.rows() * shape.slices();
}

Error CheckMipmapped(const Device& device, const ArrayShape& shape) {
  const Form form = FormOf(shape);
  if ((form == k1D && !Fits(device, shape, kMipmapped1D)) ||
      (form == k2D && !Fits(device, shape, kMipmapped2D))) {
    return Error::kInvalidValue;
  }
  return CheckShape(device, shape);
}

struct Place {
  std::byte* memory = nullptr;
  uint64_t allocation_id = 0;
};

Error Allocate(Device& device, size_t bytes, Place* place) {
  void* memory = nullptr;
  const Error error = AllocateDevice(device, bytes, MemoryKind::kArray,
                                     MemoryOwner::kMalloc, &memory);
  if (error != Error::kSuccess) return error;
  *place = {static_cast<std::byte*>(memory), FindAllocation(memory)->id};
  return error;
}

size_t Half(size_t extent) {
  return extent == 0 ? 0 : std::max<size_t>(extent / 2, 1);
}

// The level below; a layer stays a layer.
ArrayShape LevelBelow(ArrayShape shape) {
  shape.width = Half(shape.width);
  shape.height = Half(shape.height);
  if ((shape.flags & (kArrayLayered | kArrayCubemap)) == 0) {
    shape.depth = Half(shape.depth);
  }
  return shape;
}

// "Clamped to the range [1, 1 + floor(log2(max(width, height, depth)))]".
std::vector<ArrayShape> LevelsOf(const ArrayShape& shape, unsigned wanted) {
  const bool flat = (shape.flags & (kArrayLayered | kArrayCubemap)) != 0;
  const size_t largest =
      std::max({shape.width, shape.height, flat ? 0 : shape.depth});
  const auto most = static_cast<unsigned>(std::bit_width(largest));
  std::vector<ArrayShape> levels{shape};
  while (levels.size() < std::min(wanted, most)) {
    levels.push_back(LevelBelow(levels.back()));
  }
  return levels;
}

}  // namespace

size_t ElementBytes(unsigned format, unsigned channels) {
  if (channels != 1 && channels != 2 && channels != 4) return 0;
  for (const FormatRow& row : kFormats) {
    if (row.format != format) continue;
    return row.channels == 0 || row.channels == channels ? row.bytes * channels
                                                         : 0;
  }
  return 0;
}

Array* FindArray(const void* handle) {
  auto* array = FromHandle<Array>(handle);
  if (array == nullptr) return nullptr;
  const auto allocation = FindAllocation(array->memory);
  return allocation && allocation->id == array->allocation_id ? array : nullptr;
}

MipmappedArray* FindMipmappedArray(const void* handle) {
  auto* array = FromHandle<MipmappedArray>(handle);
  return array != nullptr && FindArray(array->levels.front()) != nullptr
             ? array
             : nullptr;
}

Error CreateArray(Device& device, const ArrayShape& shape, Array** array) {
  Error error = CheckShape(device, shape);
  if (error != Error::kSuccess) return error;
  Place place;
  error = Allocate(device, BytesOf(shape), &place);
  if (error != Error::kSuccess) return error;
  *array = HandlePool<Array>::New(&device, shape, place.memory,
                                  place.allocation_id, false);
  return error;
}

Error DestroyArray(Array& array) {
  if (array.is_level) return Error::kInvalidHandle;
  const Error error = FreeDevice(array.memory);
  HandlePool<Array>::Delete(&array);
  return error;
}

Error CreateMipmappedArray(Device& device, const ArrayShape& shape,
                           unsigned levels, MipmappedArray** array) {
  Error error = CheckMipmapped(device, shape);
  if (error != Error::kSuccess) return error;
  const std::vector<ArrayShape> shapes = LevelsOf(shape, levels);
  size_t bytes = 0;
  for (const ArrayShape& level : shapes) bytes += BytesOf(level);
  Place place;
  error = Allocate(device, bytes, &place);
  if (error != Error::kSuccess) return error;
  *array = HandlePool<MipmappedArray>::New();
  for (const ArrayShape& level : shapes) {
    (*array)->levels.push_back(HandlePool<Array>::New(
        &device, level, place.memory, place.allocation_id, true));
    place.memory += BytesOf(level);
  }
  return error;
}

Error DestroyMipmappedArray(MipmappedArray& array) {
  const Error error = FreeDevice(array.levels.front()->memory);
  for (Array* level : array.levels) HandlePool<Array>::Delete(level);
  HandlePool<MipmappedArray>::Delete(&array);
  return error;
}

}  // namespace dltap::simgpu
