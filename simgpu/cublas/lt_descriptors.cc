// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cublas/lt_descriptors.h"

#include <cstddef>
#include <cstring>

#include "simgpu/base/library_entry.h"
#include "simgpu/cublas/lt_attributes.h"

namespace dltap::simgpu {
namespace {

LtLayout NewLayout(cudaDataType type, uint64_t rows, uint64_t cols,
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

LtMatmulDesc NewMatmulDesc(cublasComputeType_t compute, cudaDataType_t scale) {
  LtMatmulDesc desc{};
  desc.compute_type = compute;
  desc.scale_type = scale;
  desc.fill_mode = CUBLAS_FILL_MODE_FULL;
  desc.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  desc.aux_type = -1;
  desc.bias_type = -1;
  return desc;
}

LtPreference NewPreference() {
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

LtTransformDesc NewTransformDesc(cudaDataType scale) {
  return {.scale_type = scale, .pointer_mode = 0, .trans_a = 0, .trans_b = 0};
}

// Into the program's own storage of `bytes`.
template <typename Opaque, typename State>
cublasStatus_t Place(Opaque* storage, size_t bytes, const State& state) {
  if (storage == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (bytes < sizeof(State)) return CUBLAS_STATUS_ALLOC_FAILED;
  std::memset(storage->data, 0, bytes);
  std::memcpy(storage->data, &state, sizeof state);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename Opaque, typename State>
cublasStatus_t Create(Opaque** descriptor, const State& state) {
  if (descriptor == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *descriptor = new Opaque{};
  return Place(*descriptor, sizeof(Opaque), state);
}

}  // namespace

SIMGPU_API cublasStatus_t cublasLtMatrixLayoutCreate(
    cublasLtMatrixLayout_t* descriptor, cudaDataType type, uint64_t rows,
    uint64_t cols, int64_t ld) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatrixLayoutCreate">(),
      [&] { return Create(descriptor, NewLayout(type, rows, cols, ld)); });
}

SIMGPU_API cublasStatus_t cublasLtMatrixLayoutInit_internal(
    cublasLtMatrixLayout_t descriptor, size_t bytes, cudaDataType type,
    uint64_t rows, uint64_t cols, int64_t ld) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatrixLayoutInit_internal">(), [&] {
        return Place(descriptor, bytes, NewLayout(type, rows, cols, ld));
      });
}

SIMGPU_API cublasStatus_t
cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t descriptor) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatrixLayoutDestroy">(), [&] {
        delete descriptor;
        return CUBLAS_STATUS_SUCCESS;
      });
}

SIMGPU_API cublasStatus_t
cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t descriptor,
                                 cublasLtMatrixLayoutAttribute_t attribute,
                                 const void* value, size_t bytes) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatrixLayoutSetAttribute">(), [&] {
        return SetLtAttribute(kLayoutAttributes, descriptor, attribute, value,
                              bytes);
      });
}

SIMGPU_API cublasStatus_t
cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t descriptor,
                                 cublasLtMatrixLayoutAttribute_t attribute,
                                 void* value, size_t bytes, size_t* written) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatrixLayoutGetAttribute">(), [&] {
        return GetLtAttribute(kLayoutAttributes, descriptor, attribute, value,
                              bytes, written);
      });
}

SIMGPU_API cublasStatus_t
cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* descriptor,
                         cublasComputeType_t compute, cudaDataType_t scale) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatmulDescCreate">(),
      [&] { return Create(descriptor, NewMatmulDesc(compute, scale)); });
}

SIMGPU_API cublasStatus_t cublasLtMatmulDescInit_internal(
    cublasLtMatmulDesc_t descriptor, size_t bytes, cublasComputeType_t compute,
    cudaDataType_t scale) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatmulDescInit_internal">(),
      [&] { return Place(descriptor, bytes, NewMatmulDesc(compute, scale)); });
}

SIMGPU_API cublasStatus_t
cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t descriptor) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatmulDescDestroy">(), [&] {
        delete descriptor;
        return CUBLAS_STATUS_SUCCESS;
      });
}

SIMGPU_API cublasStatus_t cublasLtMatmulDescSetAttribute(
    cublasLtMatmulDesc_t descriptor, cublasLtMatmulDescAttributes_t attribute,
    const void* value, size_t bytes) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatmulDescSetAttribute">(), [&] {
        return SetLtAttribute(kMatmulAttributes, descriptor, attribute, value,
                              bytes);
      });
}

SIMGPU_API cublasStatus_t cublasLtMatmulDescGetAttribute(
    cublasLtMatmulDesc_t descriptor, cublasLtMatmulDescAttributes_t attribute,
    void* value, size_t bytes, size_t* written) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatmulDescGetAttribute">(), [&] {
        return GetLtAttribute(kMatmulAttributes, descriptor, attribute, value,
                              bytes, written);
      });
}

SIMGPU_API cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* descriptor) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatmulPreferenceCreate">(),
      [&] { return Create(descriptor, NewPreference()); });
}

SIMGPU_API cublasStatus_t cublasLtMatmulPreferenceInit_internal(
    cublasLtMatmulPreference_t descriptor, size_t bytes) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatmulPreferenceInit_internal">(),
      [&] { return Place(descriptor, bytes, NewPreference()); });
}

SIMGPU_API cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t descriptor) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatmulPreferenceDestroy">(), [&] {
        delete descriptor;
        return CUBLAS_STATUS_SUCCESS;
      });
}

SIMGPU_API cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t descriptor,
    cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
    size_t bytes) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatmulPreferenceSetAttribute">(), [&] {
        return SetLtAttribute(kPreferenceAttributes, descriptor, attribute,
                              value, bytes);
      });
}

SIMGPU_API cublasStatus_t cublasLtMatmulPreferenceGetAttribute(
    cublasLtMatmulPreference_t descriptor,
    cublasLtMatmulPreferenceAttributes_t attribute, void* value, size_t bytes,
    size_t* written) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatmulPreferenceGetAttribute">(), [&] {
        return GetLtAttribute(kPreferenceAttributes, descriptor, attribute,
                              value, bytes, written);
      });
}

SIMGPU_API cublasStatus_t cublasLtMatrixTransformDescCreate(
    cublasLtMatrixTransformDesc_t* descriptor, cudaDataType scale) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatrixTransformDescCreate">(),
      [&] { return Create(descriptor, NewTransformDesc(scale)); });
}

SIMGPU_API cublasStatus_t cublasLtMatrixTransformDescInit_internal(
    cublasLtMatrixTransformDesc_t descriptor, size_t bytes,
    cudaDataType scale) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatrixTransformDescInit_internal">(),
      [&] { return Place(descriptor, bytes, NewTransformDesc(scale)); });
}

SIMGPU_API cublasStatus_t
cublasLtMatrixTransformDescDestroy(cublasLtMatrixTransformDesc_t descriptor) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatrixTransformDescDestroy">(), [&] {
        delete descriptor;
        return CUBLAS_STATUS_SUCCESS;
      });
}

SIMGPU_API cublasStatus_t cublasLtMatrixTransformDescSetAttribute(
    cublasLtMatrixTransformDesc_t descriptor,
    cublasLtMatrixTransformDescAttributes_t attribute, const void* value,
    size_t bytes) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatrixTransformDescSetAttribute">(), [&] {
        return SetLtAttribute(kTransformAttributes, descriptor, attribute,
                              value, bytes);
      });
}

SIMGPU_API cublasStatus_t cublasLtMatrixTransformDescGetAttribute(
    cublasLtMatrixTransformDesc_t descriptor,
    cublasLtMatrixTransformDescAttributes_t attribute, void* value,
    size_t bytes, size_t* written) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatrixTransformDescGetAttribute">(), [&] {
        return GetLtAttribute(kTransformAttributes, descriptor, attribute,
                              value, bytes, written);
      });
}

}  // namespace dltap::simgpu
