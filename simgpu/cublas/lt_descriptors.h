// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUBLAS_LT_DESCRIPTORS_H_
#define DLTAP_SIMGPU_CUBLAS_LT_DESCRIPTORS_H_

#include <cublasLt.h>

#include <cstdint>

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

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUBLAS_LT_DESCRIPTORS_H_
