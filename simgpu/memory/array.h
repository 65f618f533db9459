// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_ARRAY_H_
#define DLTAP_SIMGPU_MEMORY_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simgpu/base/error.h"
#include "simgpu/base/handle.h"

namespace dltap::simgpu {

struct Device;

// Numbered as cudaArrayLayered ... and CUDA_ARRAY3D_*.
constexpr unsigned kArrayLayered = 0x01;
constexpr unsigned kArraySurface = 0x02;
constexpr unsigned kArrayCubemap = 0x04;
constexpr unsigned kArrayGather = 0x08;
constexpr unsigned kArraySparse = 0x40;
constexpr unsigned kArrayDeferred = 0x80;

// Elements in each direction (0: that dimension is not there) and what one
// element is: `format` is numbered as CUarray_format.
struct ArrayShape {
  size_t width = 0;
  size_t height = 0;
  size_t depth = 0;  // layers of a layered array
  unsigned format = 0;
  unsigned channels = 0;
  unsigned flags = 0;

  size_t rows() const { return height == 0 ? 1 : height; }
  size_t slices() const { return depth == 0 ? 1 : depth; }
};

// Bytes of one element; 0 for a format that arrays cannot have here: block
// compressed ones and those of several planes.
size_t ElementBytes(unsigned format, unsigned channels);

// A cudaArray_t / CUarray. Its memory is opaque to the program; here it is rows
// without gaps.
struct Array : Handle {
  static constexpr uint32_t kTag = 0x41525259;  // "ARRY"
  Array(Device* owner, const ArrayShape& of_shape, std::byte* at, uint64_t id,
        bool level)
      : Handle(kTag),
        device(owner),
        shape(of_shape),
        element_bytes(ElementBytes(of_shape.format, of_shape.channels)),
        memory(at),
        allocation_id(id),
        is_level(level) {}
  Device* const device;
  const ArrayShape shape;
  const size_t element_bytes;
  std::byte* const memory;
  const uint64_t allocation_id;
  const bool is_level;  // of a mipmapped array, which frees it

  size_t row_bytes() const { return shape.width * element_bytes; }
  size_t slice_bytes() const { return row_bytes() * shape.rows(); }
  size_t bytes() const { return slice_bytes() * shape.slices(); }
};

// A cudaMipmappedArray_t / CUmipmappedArray: each level half of the one before,
// all in one allocation.
struct MipmappedArray : Handle {
  static constexpr uint32_t kTag = 0x4d495053;  // "MIPS"
  MipmappedArray() : Handle(kTag) {}
  std::vector<Array*> levels;
};

// Null for what is no array, and for one whose memory a reset of its device has
// freed.
Array* FindArray(const void* handle);
MipmappedArray* FindMipmappedArray(const void* handle);

// kInvalidValue for a shape that the device does not have by its attributes,
// kNotSupported for arrays without memory of their own (sparse, deferred).
Error CreateArray(Device& device, const ArrayShape& shape, Array** array);
Error DestroyArray(Array& array);
Error CreateMipmappedArray(Device& device, const ArrayShape& shape,
                           unsigned levels, MipmappedArray** array);
Error DestroyMipmappedArray(MipmappedArray& array);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_ARRAY_H_
