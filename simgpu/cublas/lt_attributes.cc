// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cublas/lt_attributes.h"

#include <cstddef>

#include "simgpu/cublas/lt_descriptors.h"

namespace dltap::simgpu {
namespace {

constexpr LtAttribute kLayout[] = {
    {CUBLASLT_MATRIX_LAYOUT_TYPE, offsetof(LtLayout, type),
     sizeof(LtLayout::type)},
    {CUBLASLT_MATRIX_LAYOUT_ORDER, offsetof(LtLayout, order),
     sizeof(LtLayout::order)},
    {CUBLASLT_MATRIX_LAYOUT_ROWS, offsetof(LtLayout, rows),
     sizeof(LtLayout::rows)},
    {CUBLASLT_MATRIX_LAYOUT_COLS, offsetof(LtLayout, cols),
     sizeof(LtLayout::cols)},
    {CUBLASLT_MATRIX_LAYOUT_LD, offsetof(LtLayout, ld), sizeof(LtLayout::ld)},
    {CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, offsetof(LtLayout, batch_count),
     sizeof(LtLayout::batch_count)},
    {CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
     offsetof(LtLayout, batch_stride), sizeof(LtLayout::batch_stride)},
    {CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, offsetof(LtLayout, plane_offset),
     sizeof(LtLayout::plane_offset)},
    {CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, offsetof(LtLayout, batch_mode),
     sizeof(LtLayout::batch_mode)},
};

constexpr LtAttribute kMatmul[] = {
    {CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, offsetof(LtMatmulDesc, compute_type),
     sizeof(LtMatmulDesc::compute_type)},
    {CUBLASLT_MATMUL_DESC_SCALE_TYPE, offsetof(LtMatmulDesc, scale_type),
     sizeof(LtMatmulDesc::scale_type)},
    {CUBLASLT_MATMUL_DESC_POINTER_MODE, offsetof(LtMatmulDesc, pointer_mode),
     sizeof(LtMatmulDesc::pointer_mode)},
    {CUBLASLT_MATMUL_DESC_TRANSA, offsetof(LtMatmulDesc, trans_a),
     sizeof(LtMatmulDesc::trans_a)},
    {CUBLASLT_MATMUL_DESC_TRANSB, offsetof(LtMatmulDesc, trans_b),
     sizeof(LtMatmulDesc::trans_b)},
    {CUBLASLT_MATMUL_DESC_TRANSC, offsetof(LtMatmulDesc, trans_c),
     sizeof(LtMatmulDesc::trans_c)},
    {CUBLASLT_MATMUL_DESC_FILL_MODE, offsetof(LtMatmulDesc, fill_mode),
     sizeof(LtMatmulDesc::fill_mode)},
    {CUBLASLT_MATMUL_DESC_EPILOGUE, offsetof(LtMatmulDesc, epilogue),
     sizeof(LtMatmulDesc::epilogue)},
    {CUBLASLT_MATMUL_DESC_BIAS_POINTER, offsetof(LtMatmulDesc, bias),
     sizeof(LtMatmulDesc::bias)},
    {CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE,
     offsetof(LtMatmulDesc, bias_batch_stride),
     sizeof(LtMatmulDesc::bias_batch_stride)},
    {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, offsetof(LtMatmulDesc, aux),
     sizeof(LtMatmulDesc::aux)},
    {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, offsetof(LtMatmulDesc, aux_ld),
     sizeof(LtMatmulDesc::aux_ld)},
    {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE,
     offsetof(LtMatmulDesc, aux_batch_stride),
     sizeof(LtMatmulDesc::aux_batch_stride)},
    {CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE,
     offsetof(LtMatmulDesc, alpha_batch_stride),
     sizeof(LtMatmulDesc::alpha_batch_stride)},
    {CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET,
     offsetof(LtMatmulDesc, sm_count_target),
     sizeof(LtMatmulDesc::sm_count_target)},
    {CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, offsetof(LtMatmulDesc, scale_a),
     sizeof(LtMatmulDesc::scale_a)},
    {CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, offsetof(LtMatmulDesc, scale_b),
     sizeof(LtMatmulDesc::scale_b)},
    {CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, offsetof(LtMatmulDesc, scale_c),
     sizeof(LtMatmulDesc::scale_c)},
    {CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, offsetof(LtMatmulDesc, scale_d),
     sizeof(LtMatmulDesc::scale_d)},
    {CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, offsetof(LtMatmulDesc, amax_d),
     sizeof(LtMatmulDesc::amax_d)},
    {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE,
     offsetof(LtMatmulDesc, aux_type), sizeof(LtMatmulDesc::aux_type)},
    {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER,
     offsetof(LtMatmulDesc, aux_scale), sizeof(LtMatmulDesc::aux_scale)},
    {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER,
     offsetof(LtMatmulDesc, aux_amax), sizeof(LtMatmulDesc::aux_amax)},
    {CUBLASLT_MATMUL_DESC_FAST_ACCUM, offsetof(LtMatmulDesc, fast_accumulation),
     sizeof(LtMatmulDesc::fast_accumulation)},
    {CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, offsetof(LtMatmulDesc, bias_type),
     sizeof(LtMatmulDesc::bias_type)},
    {CUBLASLT_MATMUL_DESC_A_SCALE_MODE, offsetof(LtMatmulDesc, scale_mode_a),
     sizeof(LtMatmulDesc::scale_mode_a)},
    {CUBLASLT_MATMUL_DESC_B_SCALE_MODE, offsetof(LtMatmulDesc, scale_mode_b),
     sizeof(LtMatmulDesc::scale_mode_b)},
    {CUBLASLT_MATMUL_DESC_C_SCALE_MODE, offsetof(LtMatmulDesc, scale_mode_c),
     sizeof(LtMatmulDesc::scale_mode_c)},
    {CUBLASLT_MATMUL_DESC_D_SCALE_MODE, offsetof(LtMatmulDesc, scale_mode_d),
     sizeof(LtMatmulDesc::scale_mode_d)},
    {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_MODE,
     offsetof(LtMatmulDesc, scale_mode_aux),
     sizeof(LtMatmulDesc::scale_mode_aux)},
    {CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER,
     offsetof(LtMatmulDesc, scale_d_out), sizeof(LtMatmulDesc::scale_d_out)},
    {CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE,
     offsetof(LtMatmulDesc, scale_mode_d_out),
     sizeof(LtMatmulDesc::scale_mode_d_out)},
    {CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR,
     offsetof(LtMatmulDesc, emulation), sizeof(LtMatmulDesc::emulation)},
};

constexpr LtAttribute kPreference[] = {
    {CUBLASLT_MATMUL_PREF_SEARCH_MODE, offsetof(LtPreference, search_mode),
     sizeof(LtPreference::search_mode)},
    {CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
     offsetof(LtPreference, max_workspace_bytes),
     sizeof(LtPreference::max_workspace_bytes)},
    {CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
     offsetof(LtPreference, reduction_scheme_mask),
     sizeof(LtPreference::reduction_scheme_mask)},
    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
     offsetof(LtPreference, min_alignment_a),
     sizeof(LtPreference::min_alignment_a)},
    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
     offsetof(LtPreference, min_alignment_b),
     sizeof(LtPreference::min_alignment_b)},
    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
     offsetof(LtPreference, min_alignment_c),
     sizeof(LtPreference::min_alignment_c)},
    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES,
     offsetof(LtPreference, min_alignment_d),
     sizeof(LtPreference::min_alignment_d)},
    {CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, offsetof(LtPreference, max_waves),
     sizeof(LtPreference::max_waves)},
    {CUBLASLT_MATMUL_PREF_IMPL_MASK, offsetof(LtPreference, impl_mask),
     sizeof(LtPreference::impl_mask)},
};

constexpr LtAttribute kTransform[] = {
    {CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE,
     offsetof(LtTransformDesc, scale_type),
     sizeof(LtTransformDesc::scale_type)},
    {CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE,
     offsetof(LtTransformDesc, pointer_mode),
     sizeof(LtTransformDesc::pointer_mode)},
    {CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, offsetof(LtTransformDesc, trans_a),
     sizeof(LtTransformDesc::trans_a)},
    {CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, offsetof(LtTransformDesc, trans_b),
     sizeof(LtTransformDesc::trans_b)},
};

}  // namespace

constinit const std::span<const LtAttribute> kLayoutAttributes = kLayout;
constinit const std::span<const LtAttribute> kMatmulAttributes = kMatmul;
constinit const std::span<const LtAttribute> kPreferenceAttributes =
    kPreference;
constinit const std::span<const LtAttribute> kTransformAttributes = kTransform;

}  // namespace dltap::simgpu
