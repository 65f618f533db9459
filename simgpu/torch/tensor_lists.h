// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_TENSOR_LISTS_H_
#define DLTAP_SIMGPU_TORCH_TENSOR_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dltap::simgpu {

// What PyTorch's multi_tensor_apply_kernel gets: TensorListMetadata<n> {void*
// addresses[n][tensors]; int64_t elements[tensors]; index
// block_to_tensor[blocks]; int block_to_chunk[blocks]; ...}
// (aten/src/ATen/native/cuda/MultiTensorApply.cuh). Its sizes differ between
// releases (32 KiB of arguments since 2.13 with CUDA 13). Unused entries hold
// whatever lay there before, so one layout may look like the other.
struct TensorListLayout {
  static constexpr size_t kMaxLists = 5;
  static constexpr int64_t kChunkElements = 65536;

  size_t tensors[kMaxLists];  // by n - 1
  size_t blocks;
  size_t index_bytes;

  // Of block_to_tensor, with what aligns block_to_chunk.
  size_t IndexBytes() const { return (blocks * index_bytes + 3) / 4 * 4; }

  size_t TensorOfBlock(const std::byte* block_to_tensor, size_t block) const {
    size_t tensor = 0;  // the index is unsigned, the machine little-endian
    std::memcpy(&tensor, block_to_tensor + block * index_bytes, index_bytes);
    return tensor;
  }
  int64_t ChunkOfBlock(const std::byte* block_to_tensor, size_t block) const {
    int32_t chunk = 0;
    std::memcpy(&chunk, block_to_tensor + IndexBytes() + block * sizeof(chunk),
                sizeof(chunk));
    return chunk;
  }
  // Of `lists` lists and `columns` numbers for each tensor.
  size_t Bytes(size_t lists, size_t columns) const {
    return (lists + columns) * tensors[lists - 1] * sizeof(int64_t) +
           IndexBytes() + blocks * sizeof(int32_t);
  }
};

// Smaller ones first: what lies behind them need not be mapped.
inline constexpr TensorListLayout kTensorListLayouts[] = {
    {{110, 64, 48, 36, 30}, 320, 1},
    {{770, 448, 336, 252, 210}, 2240, 2},
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_TENSOR_LISTS_H_
