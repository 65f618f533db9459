// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string_view>

#include "simgpu/torch/families.h"

namespace dltap::simgpu {
namespace {

// What tells how many images of one channel there are.
enum class Images : uint8_t {
  kSmallCount,  // the elements of the small (pooled) tensor
  kLargeCount,  // those of the other one
  kBatch,       // the batch, times the channels
  kChannels,    // the channels of all of the batch
};

// Which parameter is what, from 0 (aten/src/ATen/native/cuda/DilatedMaxPool2d.
// cu, AveragePool2d.cu, UpSampleNearest2d.cu). Channels, height and width of
// one tensor follow one another, then height and width of the other.
struct Row {
  std::string_view name;
  Images images;
  int count;     // the parameter with it; unused for kChannels
  int channels;  // the parameter of the first of five sizes
  bool mask;     // the place of each maximum, in 64 bits
  bool backward;
};

constexpr Row kRows[] = {
    {"max_pool_forward_nchw", Images::kSmallCount, 0, 2, true, false},
    {"max_pool_forward_nhwc", Images::kBatch, 1, 2, true, false},
    {"max_pool_backward_nchw", Images::kBatch, 2, 3, true, true},
    {"max_pool_backward_nhwc", Images::kBatch, 2, 3, true, true},
    {"avg_pool2d_out_cuda_frame", Images::kSmallCount, 0, 2, false, false},
    {"avg_pool2d_out_cuda_frame_nhwc", Images::kSmallCount, 0, 2, false, false},
    {"avg_pool2d_backward_out_cuda_frame", Images::kLargeCount, 0, 2, false,
     true},
    {"avg_pool2d_backward_out_cuda_frame_nhwc", Images::kLargeCount, 0, 2,
     false, true},
    {"upsample_nearest2d_out_frame", Images::kChannels, 0, 2, false, false},
    {"upsample_nearest2d_nhwc_out_frame", Images::kSmallCount, 9, 2, false,
     false},
};

struct PoolKernel {
  Row row;
  ScalarType type;
};

constexpr int64_t kMost = 1 << 20;  // so that products fit

// Where the elements lie is not told here.
Operand Counted(int64_t elements, ScalarType type, Operand::Access access) {
  return {.range = {},
          .elements = elements,
          .element_bytes = SizeOf(type),
          .type = type,
          .access = access};
}

// Sizes are int or int64: the low half will do.
int64_t Integer(const LaunchView& launch, int parameter) {
  return ReadAt<int32_t>(launch.arguments[parameter]);
}

int64_t ImagesOf(const Row& row, int64_t large, int64_t small,
                 const LaunchView& launch) {
  const int64_t count = Integer(launch, row.count);
  switch (row.images) {
    case Images::kSmallCount: return count / small;
    case Images::kLargeCount: return count / large;
    case Images::kBatch: return count * Integer(launch, row.channels);
    case Images::kChannels: return Integer(launch, row.channels);
  }
  return 0;
}

DecodedLaunch DecodePool(const PoolKernel& kernel, const LaunchView& launch) {
  const Row& row = kernel.row;
  for (int i = 0; i < 5; ++i) {
    const int64_t size = Integer(launch, row.channels + i);
    if (size <= 0 || size > kMost) return {};
  }
  const auto points_from = [&](int at) {
    return Integer(launch, row.channels + at) *
           Integer(launch, row.channels + at + 1);
  };
  const int64_t large = points_from(1);
  const int64_t small = points_from(3);
  const int64_t images = ImagesOf(row, large, small, launch);
  if (images <= 0) return {};
  const auto small_access = row.backward ? Operand::kRead : Operand::kWrite;
  const auto large_access = row.backward ? Operand::kWrite : Operand::kRead;
  DecodedLaunch decoded;
  decoded.Add(Counted(images * large, kernel.type, large_access));
  decoded.Add(Counted(images * small, kernel.type, small_access));
  if (row.mask) {
    decoded.Add(Counted(images * small, ScalarType::kInt64, small_access));
  }
  return decoded;
}

}  // namespace

Decoder PoolDecoder(const NameParts& kernel) {
  for (const Row& row : kRows) {
    if (kernel.name != row.name) continue;
    return DecodeBy(DecodePool,
                    PoolKernel{row, FirstTypeIn(kernel.arguments)});
  }
  return {};
}

}  // namespace dltap::simgpu
