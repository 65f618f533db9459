// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/tensor_lists.h"

#include <algorithm>

#include "simgpu/bytes/mapped_pages.h"

namespace dltap::simgpu {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 40;  // of a tensor, to believe

// TensorListMetadata<n> {void* addresses[n][tensors]; int64_t
// elements[tensors]; index block_to_tensor[blocks]; int block_to_chunk[blocks];
// ...} (aten/src/ATen/native/cuda/MultiTensorApply.cuh). Its sizes differ
// between releases (32 KiB of arguments since 2.13 with CUDA 13). Unused
// entries hold whatever lay there before, so one layout may look like the
// other.
struct Layout {
  size_t tensors[TensorLists::kMaxLists];  // by n - 1
  size_t blocks;
  size_t index_bytes;

  // Of block_to_tensor, with what aligns block_to_chunk.
  size_t IndexBytes() const { return AlignUp(blocks * index_bytes, 4); }

  size_t TensorOfBlock(const std::byte* block_to_tensor, size_t block) const {
    size_t tensor = 0;  // the index is unsigned, the machine little-endian
    std::memcpy(&tensor, block_to_tensor + block * index_bytes, index_bytes);
    return tensor;
  }
  int64_t ChunkOfBlock(const std::byte* block_to_tensor, size_t block) const {
    return ReadAt<int32_t>(block_to_tensor + IndexBytes() + block * 4);
  }
  size_t Bytes(const TensorLists& kind) const {
    return (kind.lists + kind.columns) * tensors[kind.lists - 1] * 8 +
           IndexBytes() + blocks * 4;
  }
};

// Smaller ones first: what lies behind them need not be mapped.
constexpr Layout kLayouts[] = {
    {{110, 64, 48, 36, 30}, 320, 1},
    {{770, 448, 336, 252, 210}, 2240, 2},
};

// Memory that a program never wrote may look like lists of another layout.
bool IsPlausible(const TensorLists& kind, const ListedTensor& tensor) {
  return std::all_of(
      tensor.addresses.begin(), tensor.addresses.begin() + kind.lists,
      [&](std::byte* address) {
        return IsAllocated({address, static_cast<size_t>(tensor.elements)});
      });
}

// Tensor `index` of each list.
ListedTensor TensorAt(const Layout& layout, const TensorLists& kind,
                      const std::byte* from, size_t index) {
  const size_t tensors = layout.tensors[kind.lists - 1];
  ListedTensor tensor;
  for (size_t list = 0; list < kind.lists; ++list) {
    tensor.addresses[list] =
        ReadAt<std::byte*>(from + (list * tensors + index) * 8);
  }
  tensor.elements = ReadAt<int64_t>(from + (kind.lists * tensors + index) * 8);
  return tensor;
}

std::optional<std::vector<ListedTensor>> Read(const Layout& layout,
                                              const TensorLists& kind,
                                              const std::byte* from,
                                              int64_t blocks) {
  constexpr int64_t kChunkElements = TensorLists::kChunkElements;
  const size_t tensors = layout.tensors[kind.lists - 1];
  if (blocks < 1 || blocks > static_cast<int64_t>(layout.blocks) ||
      !ArePagesMapped(from, layout.Bytes(kind))) {
    return std::nullopt;
  }
  const std::byte* to_tensor = from + (kind.lists + kind.columns) * tensors * 8;
  std::vector<ListedTensor> found;
  for (size_t block = 0; block < static_cast<size_t>(blocks); ++block) {
    const size_t index = layout.TensorOfBlock(to_tensor, block);
    const int64_t chunk = layout.ChunkOfBlock(to_tensor, block);
    if (index >= tensors ||
        (index + 1 != found.size() && index != found.size())) {
      return std::nullopt;
    }
    if (index == found.size()) {
      found.push_back(TensorAt(layout, kind, from, index));
    }
    ListedTensor& tensor = found.back();
    const int64_t rest = tensor.elements - chunk * kChunkElements;
    if (chunk < 0 || rest <= 0 || tensor.elements > kMostElements) {
      return std::nullopt;
    }
    tensor.moved += std::min(rest, kChunkElements);
  }
  if (!IsPlausible(kind, found.front())) return std::nullopt;
  return found;
}

}  // namespace

std::optional<TensorLists> FindTensorLists(const NameParts& metadata) {
  const bool fused = metadata.name == "FusedOptimizerTensorListMetadata";
  if ((!fused && metadata.name != "TensorListMetadata") ||
      metadata.arguments.size() != 1) {
    return std::nullopt;
  }
  const size_t lists = NumberIn(metadata.arguments[0]);
  if (lists < 1 || lists > TensorLists::kMaxLists) return std::nullopt;
  return TensorLists{.lists = lists, .columns = fused ? 2u : 1u};
}

std::optional<std::vector<ListedTensor>> ReadTensorLists(
    const TensorLists& kind, const LaunchView& launch) {
  for (const Layout& layout : kLayouts) {
    auto found =
        Read(layout, kind, Bytes(launch.arguments[0]), launch.grid.count());
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace dltap::simgpu
