// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cublas/lt_descriptors.h"

#include <cstddef>

namespace dltap::simgpu {
namespace {

#define LT_ROW(State, id, field) \
  LtAttribute { id, offsetof(State, field), sizeof(State::field) }
constexpr LtAttribute kLayout[] = {
    LT_ROW(LtLayout, CUBLASLT_MATRIX_LAYOUT_TYPE, type),
    LT_ROW(LtLayout, CUBLASLT_MATRIX_LAYOUT_ORDER, order),
    LT_ROW(LtLayout, CUBLASLT_MATRIX_LAYOUT_ROWS, rows),
    LT_ROW(LtLayout, CUBLASLT_MATRIX_LAYOUT_COLS, cols),
    LT_ROW(LtLayout, CUBLASLT_MATRIX_LAYOUT_LD, ld),
    LT_ROW(LtLayout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, batch_count),
    LT_ROW(LtLayout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, batch_stride),
    LT_ROW(LtLayout, CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, plane_offset),
    LT_ROW(LtLayout, CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, batch_mode),
};

constexpr LtAttribute kMatmul[] = {
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, compute_type),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_SCALE_TYPE, scale_type),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_POINTER_MODE, pointer_mode),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_TRANSA, trans_a),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_TRANSB, trans_b),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_TRANSC, trans_c),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_FILL_MODE, fill_mode),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE,
           bias_batch_stride),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, aux_ld),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE,
           aux_batch_stride),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE,
           alpha_batch_stride),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, sm_count_target),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scale_a),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scale_b),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, scale_c),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, scale_d),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, amax_d),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, aux_type),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER,
           aux_scale),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER,
           aux_amax),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_FAST_ACCUM, fast_accumulation),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, bias_type),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, scale_mode_a),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, scale_mode_b),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_C_SCALE_MODE, scale_mode_c),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_D_SCALE_MODE, scale_mode_d),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_MODE,
           scale_mode_aux),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER, scale_d_out),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE,
           scale_mode_d_out),
    LT_ROW(LtMatmulDesc, CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR, emulation),
};

constexpr LtAttribute kPreference[] = {
    LT_ROW(LtPreference, CUBLASLT_MATMUL_PREF_SEARCH_MODE, search_mode),
    LT_ROW(LtPreference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
           max_workspace_bytes),
    LT_ROW(LtPreference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
           reduction_scheme_mask),
    LT_ROW(LtPreference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
           min_alignment_a),
    LT_ROW(LtPreference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
           min_alignment_b),
    LT_ROW(LtPreference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
           min_alignment_c),
    LT_ROW(LtPreference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES,
           min_alignment_d),
    LT_ROW(LtPreference, CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, max_waves),
    LT_ROW(LtPreference, CUBLASLT_MATMUL_PREF_IMPL_MASK, impl_mask),
};

constexpr LtAttribute kTransform[] = {
    LT_ROW(LtTransformDesc, CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE,
           scale_type),
    LT_ROW(LtTransformDesc, CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE,
           pointer_mode),
    LT_ROW(LtTransformDesc, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, trans_a),
    LT_ROW(LtTransformDesc, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, trans_b),
};

constexpr LtAttribute kConfig[] = {
    LT_ROW(LtAlgorithm, CUBLASLT_ALGO_CONFIG_ID, id),
    LT_ROW(LtAlgorithm, CUBLASLT_ALGO_CONFIG_TILE_ID, tile_id),
    LT_ROW(LtAlgorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, split_k),
    LT_ROW(LtAlgorithm, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME,
           reduction_scheme),
    LT_ROW(LtAlgorithm, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, swizzling),
    LT_ROW(LtAlgorithm, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, custom_option),
    LT_ROW(LtAlgorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID, stages),
    LT_ROW(LtAlgorithm, CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, inner_shape),
    LT_ROW(LtAlgorithm, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, cluster_shape),
};
#undef LT_ROW

}  // namespace

LtLayout LtKind<cublasLtMatrixLayoutOpaque_t>::New(cudaDataType type,
                                                   uint64_t rows, uint64_t cols,
                                                   int64_t ld) {
  return {.type = type,
          .order = CUBLASLT_ORDER_COL,
          .rows = rows,
          .cols = cols,
          .ld = ld,
          .batch_count = 1,
          .batch_mode = 0,
          .batch_stride = 0,
          .plane_offset = 0};
}

LtMatmulDesc LtKind<cublasLtMatmulDescOpaque_t>::New(
    cublasComputeType_t compute, cudaDataType_t scale) {
  LtMatmulDesc desc{};
  desc.compute_type = compute;
  desc.scale_type = scale;
  desc.fill_mode = CUBLAS_FILL_MODE_FULL;
  desc.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  desc.aux_type = -1;
  desc.bias_type = -1;
  return desc;
}

LtPreference LtKind<cublasLtMatmulPreferenceOpaque_t>::New() {
  return {.search_mode = 0,
          .reduction_scheme_mask = ~0u,
          .max_workspace_bytes = 0,
          .min_alignment_a = 256,
          .min_alignment_b = 256,
          .min_alignment_c = 256,
          .min_alignment_d = 256,
          .max_waves = 0,
          .impl_mask = ~0ull};
}

LtTransformDesc LtKind<cublasLtMatrixTransformDescOpaque_t>::New(
    cudaDataType scale) {
  return {.scale_type = scale, .pointer_mode = 0, .trans_a = 0, .trans_b = 0};
}

constinit const std::span<const LtAttribute>
    LtKind<cublasLtMatrixLayoutOpaque_t>::kAttributes = kLayout;
constinit const std::span<const LtAttribute>
    LtKind<cublasLtMatmulDescOpaque_t>::kAttributes = kMatmul;
constinit const std::span<const LtAttribute>
    LtKind<cublasLtMatmulPreferenceOpaque_t>::kAttributes = kPreference;
constinit const std::span<const LtAttribute>
    LtKind<cublasLtMatrixTransformDescOpaque_t>::kAttributes = kTransform;
constinit const std::span<const LtAttribute>
    LtKind<cublasLtMatmulAlgo_t>::kAttributes = kConfig;

}  // namespace dltap::simgpu
