// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUBLAS_LT_DESCRIPTORS_H_
#define DLTAP_SIMGPU_CUBLAS_LT_DESCRIPTORS_H_

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace dltap::simgpu {

// The descriptors of cuBLASLt are opaque structures of fixed size that the
// program may own (cublasLt...Init): our state lies inside them.

struct LtLayout {
  int32_t type;
  int32_t order;
  uint64_t rows;
  uint64_t cols;
  int64_t ld;
  int32_t batch_count;
  int32_t batch_mode;
  int64_t batch_stride;
  int64_t plane_offset;
};
static_assert(sizeof(LtLayout) <= sizeof(cublasLtMatrixLayoutOpaque_t));

struct LtMatmulDesc {
  int32_t compute_type;
  int32_t scale_type;
  int32_t pointer_mode;
  int32_t trans_a;
  int32_t trans_b;
  int32_t trans_c;
  int32_t fill_mode;
  uint32_t epilogue;
  void* bias;
  int64_t bias_batch_stride;
  void* aux;
  int64_t aux_ld;
  int64_t aux_batch_stride;
  int64_t alpha_batch_stride;
  void* scale_a;
  void* scale_b;
  void* scale_c;
  void* scale_d;
  void* amax_d;
  void* aux_scale;
  void* aux_amax;
  void* scale_d_out;
  void* emulation;
  int32_t sm_count_target;
  int32_t aux_type;
  int32_t bias_type;
  int32_t scale_mode_a;
  int32_t scale_mode_b;
  int32_t scale_mode_c;
  int32_t scale_mode_d;
  int32_t scale_mode_aux;
  int32_t scale_mode_d_out;
  int8_t fast_accumulation;
};
static_assert(sizeof(LtMatmulDesc) <= sizeof(cublasLtMatmulDescOpaque_t));

struct LtPreference {
  uint32_t search_mode;
  uint32_t reduction_scheme_mask;
  uint64_t max_workspace_bytes;
  uint32_t min_alignment_a;
  uint32_t min_alignment_b;
  uint32_t min_alignment_c;
  uint32_t min_alignment_d;
  float max_waves;
  uint64_t impl_mask;
};
static_assert(sizeof(LtPreference) <= sizeof(cublasLtMatmulPreferenceOpaque_t));

struct LtTransformDesc {
  int32_t scale_type;
  int32_t pointer_mode;
  int32_t trans_a;
  int32_t trans_b;
};
static_assert(sizeof(LtTransformDesc) <=
              sizeof(cublasLtMatrixTransformDescOpaque_t));

// One of GemmPlansOf(): the tile names the kernel. `id` is its place there.
struct LtAlgorithm {
  int32_t id;
  int32_t tile_m;
  int32_t tile_n;
  int32_t split_k;
  uint32_t reduction_scheme;
  uint32_t swizzling;
  uint32_t custom_option;
  uint32_t stages;
  uint16_t inner_shape;
  uint16_t cluster_shape;
  uint32_t tile_id;
};
static_assert(sizeof(LtAlgorithm) <= sizeof(cublasLtMatmulAlgo_t));

template <typename State, typename Opaque>
State& StateOf(Opaque* descriptor) {
  return *reinterpret_cast<State*>(descriptor);
}
template <typename State, typename Opaque>
const State& StateOf(const Opaque* descriptor) {
  return *reinterpret_cast<const State*>(descriptor);
}

// Where an attribute lies in the state of its descriptor.
struct LtAttribute {
  int id;
  size_t offset;
  size_t bytes;
};

// A kind of descriptor, by the vendor's type: its attributes, and a new one's
// state.
template <typename Opaque>
struct LtKind;

template <>
struct LtKind<cublasLtMatrixLayoutOpaque_t> {
  static const std::span<const LtAttribute> kAttributes;
  static LtLayout New(cudaDataType type, uint64_t rows, uint64_t cols,
                      int64_t ld);
};

template <>
struct LtKind<cublasLtMatmulDescOpaque_t> {
  static const std::span<const LtAttribute> kAttributes;
  static LtMatmulDesc New(cublasComputeType_t compute, cudaDataType_t scale);
};

template <>
struct LtKind<cublasLtMatmulPreferenceOpaque_t> {
  static const std::span<const LtAttribute> kAttributes;
  static LtPreference New();
};

template <>
struct LtKind<cublasLtMatrixTransformDescOpaque_t> {
  static const std::span<const LtAttribute> kAttributes;
  static LtTransformDesc New(cudaDataType scale);
};

template <>
struct LtKind<cublasLtMatmulAlgo_t> {
  static const std::span<const LtAttribute> kAttributes;
};

// The functions of descriptors: gen_lt_entry_points.py names them.

// Into the program's own storage of `bytes`.
template <typename Opaque, typename... Args>
cublasStatus_t InitLt(Opaque* storage, size_t bytes, Args... args) {
  const auto state = LtKind<Opaque>::New(args...);
  if (storage == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (bytes < sizeof(state)) return CUBLAS_STATUS_ALLOC_FAILED;
  std::memset(storage->data, 0, bytes);
  std::memcpy(storage->data, &state, sizeof(state));
  return CUBLAS_STATUS_SUCCESS;
}

template <typename Opaque, typename... Args>
cublasStatus_t CreateLt(Opaque** descriptor, Args... args) {
  if (descriptor == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *descriptor = new Opaque{};
  return InitLt(*descriptor, sizeof(Opaque), args...);
}

template <typename Opaque>
cublasStatus_t DestroyLt(Opaque* descriptor) {
  delete descriptor;
  return CUBLAS_STATUS_SUCCESS;
}

// nullptr: no such attribute.
template <typename Opaque>
const LtAttribute* FindLtAttribute(int id) {
  for (const LtAttribute& row : LtKind<Opaque>::kAttributes) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

template <typename Opaque>
cublasStatus_t SetAttributeLt(Opaque* descriptor, int id, const void* value,
                              size_t bytes) {
  const LtAttribute* row = FindLtAttribute<Opaque>(id);
  if (row == nullptr || descriptor == nullptr || value == nullptr ||
      bytes < row->bytes) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  std::memcpy(reinterpret_cast<std::byte*>(descriptor) + row->offset, value,
              row->bytes);
  return CUBLAS_STATUS_SUCCESS;
}

// With `bytes` 0 only the size is asked for.
template <typename Opaque>
cublasStatus_t GetAttributeLt(const Opaque* descriptor, int id, void* value,
                              size_t bytes, size_t* written) {
  const LtAttribute* row = FindLtAttribute<Opaque>(id);
  if (row == nullptr || descriptor == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (written != nullptr) *written = row->bytes;
  if (bytes == 0) {
    return written == nullptr ? CUBLAS_STATUS_INVALID_VALUE
                              : CUBLAS_STATUS_SUCCESS;
  }
  if (bytes < row->bytes || value == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  std::memcpy(value,
              reinterpret_cast<const std::byte*>(descriptor) + row->offset,
              row->bytes);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUBLAS_LT_DESCRIPTORS_H_
