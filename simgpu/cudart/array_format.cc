// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/array_format.h"

#include "simgpu/driver/driver_header.h"
#include "simgpu/memory/array.h"

namespace dltap::simgpu {
namespace {

struct Row {
  cudaChannelFormatKind kind;
  int bits;  // of a channel
  CUarray_format format;
};
constexpr Row kRows[] = {
    {cudaChannelFormatKindUnsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8},
    {cudaChannelFormatKindUnsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16},
    {cudaChannelFormatKindUnsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32},
    {cudaChannelFormatKindSigned, 8, CU_AD_FORMAT_SIGNED_INT8},
    {cudaChannelFormatKindSigned, 16, CU_AD_FORMAT_SIGNED_INT16},
    {cudaChannelFormatKindSigned, 32, CU_AD_FORMAT_SIGNED_INT32},
    {cudaChannelFormatKindFloat, 16, CU_AD_FORMAT_HALF},
    {cudaChannelFormatKindFloat, 32, CU_AD_FORMAT_FLOAT},
    {cudaChannelFormatKindUnsignedNormalized8X1, 8, CU_AD_FORMAT_UNORM_INT8X1},
    {cudaChannelFormatKindUnsignedNormalized8X2, 8, CU_AD_FORMAT_UNORM_INT8X2},
    {cudaChannelFormatKindUnsignedNormalized8X4, 8, CU_AD_FORMAT_UNORM_INT8X4},
    {cudaChannelFormatKindUnsignedNormalized16X1, 16,
     CU_AD_FORMAT_UNORM_INT16X1},
    {cudaChannelFormatKindUnsignedNormalized16X2, 16,
     CU_AD_FORMAT_UNORM_INT16X2},
    {cudaChannelFormatKindUnsignedNormalized16X4, 16,
     CU_AD_FORMAT_UNORM_INT16X4},
    {cudaChannelFormatKindSignedNormalized8X1, 8, CU_AD_FORMAT_SNORM_INT8X1},
    {cudaChannelFormatKindSignedNormalized8X2, 8, CU_AD_FORMAT_SNORM_INT8X2},
    {cudaChannelFormatKindSignedNormalized8X4, 8, CU_AD_FORMAT_SNORM_INT8X4},
    {cudaChannelFormatKindSignedNormalized16X1, 16, CU_AD_FORMAT_SNORM_INT16X1},
    {cudaChannelFormatKindSignedNormalized16X2, 16, CU_AD_FORMAT_SNORM_INT16X2},
    {cudaChannelFormatKindSignedNormalized16X4, 16, CU_AD_FORMAT_SNORM_INT16X4},
};

}  // namespace

bool ReadChannels(const cudaChannelFormatDesc& desc, ElementFormat* element) {
  const int bits[] = {desc.x, desc.y, desc.z, desc.w};
  unsigned channels = 0;
  while (channels < 4 && bits[channels] != 0) ++channels;
  // The channels are alike, and those after the last are empty.
  for (unsigned i = 0; i < 4; ++i) {
    if (bits[i] != (i < channels ? desc.x : 0)) return false;
  }
  for (const Row& row : kRows) {
    if (row.kind != desc.f || row.bits != desc.x) continue;
    *element = {row.format, channels};
    return ElementBytes(row.format, channels) != 0;
  }
  return false;
}

cudaChannelFormatDesc ChannelsOf(const ElementFormat& element) {
  for (const Row& row : kRows) {
    if (row.format != element.format) continue;
    const auto bits = [&](unsigned n) {
      return n <= element.channels ? row.bits : 0;
    };
    return {bits(1), bits(2), bits(3), bits(4), row.kind};
  }
  return {0, 0, 0, 0, cudaChannelFormatKindNone};
}

}  // namespace dltap::simgpu
