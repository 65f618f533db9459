// SPDX-License-Identifier: Apache-2.0
#include <cublasLt.h>

#include <algorithm>
#include <cmath>

#include "opmodel/streaming_time.h"
#include "simgpu/base/library_entry.h"
#include "simgpu/cublas/blas_types.h"
#include "simgpu/cublas/gemm_kernels.h"
#include "simgpu/cublas/lt_algorithms.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::Operation;

constexpr char kBiasGradient[] =
    "void epilogue::impl::globalKernel<float, float, float, true, true>(int, "
    "int, long, float*, cublasLtEpilogue_t, int, float*, long, void*, long, "
    "long, long, float*, long, int*)";

// Epilogues are part of the product's kernel, but for the bias gradient, which
// needs a reduction over the columns.
bool NeedsBiasGradient(uint32_t epilogue) {
  switch (epilogue) {
    case CUBLASLT_EPILOGUE_BGRADA:
    case CUBLASLT_EPILOGUE_BGRADB:
    case CUBLASLT_EPILOGUE_DRELU_BGRAD:
    case CUBLASLT_EPILOGUE_DGELU_BGRAD: return true;
    default: return false;
  }
}

LibraryKernel BiasGradient(const Operation& op, const opmodel::GpuSpec& gpu) {
  const double bytes = static_cast<double>(op[Dim::kM]) * op[Dim::kN] *
                       opmodel::BitsOf(op.storage) / 8;
  return {.name = kBiasGradient,
          .grid = {static_cast<uint32_t>((op[Dim::kN] + 31) / 32), 1, 1},
          .block = {32, 16, 1},
          .registers_per_thread = 40,
          .duration_ns = std::llround(opmodel::StreamingTime(bytes, gpu).ns),
          .effect = {}};
}

Error Launch(const Operation& op, const LtMatmulDesc& desc,
             const cublasLtMatmulAlgo_t* algorithm, cudaStream_t stream) {
  const opmodel::GpuSpec& gpu = GpuOfStream(stream);
  // The heuristics' first choice is the fastest plan, which is remembered.
  const bool is_best =
      algorithm == nullptr || StateOf<LtAlgorithm>(algorithm).id == 0;
  const Error error =
      is_best
          ? LaunchGemm(stream, GemmLaunchOf(op, gpu))
          : LaunchGemm(
                stream,
                GemmLaunchOf(
                    op, PlanOf(StateOf<LtAlgorithm>(algorithm), op, gpu), gpu));
  if (error != Error::kSuccess || !NeedsBiasGradient(desc.epilogue)) {
    return error;
  }
  return LaunchLibraryKernel(stream, BiasGradient(op, gpu));
}

// Of a plain matrix, and of a batch of them; 0: of another order.
size_t BytesOf(const LtLayout& layout) {
  if (layout.order != CUBLASLT_ORDER_COL &&
      layout.order != CUBLASLT_ORDER_ROW) {
    return 0;
  }
  const bool rows = layout.order == CUBLASLT_ORDER_ROW;
  const auto lines = static_cast<int64_t>(rows ? layout.rows : layout.cols);
  const auto line = static_cast<int64_t>(rows ? layout.cols : layout.rows);
  const int64_t elements =
      (std::max(layout.batch_count, 1) - 1) * layout.batch_stride +
      (lines - 1) * layout.ld + line;
  return static_cast<size_t>(
      std::max<int64_t>(elements, 0) *
      opmodel::BitsOf(DTypeOf(static_cast<cudaDataType>(layout.type))) / 8);
}

LibraryKernel Transform(const LtLayout& layout, const opmodel::GpuSpec& gpu) {
  const double bytes = 8.0 * layout.rows * layout.cols;
  return {.name =
              "void cublasLt::transform_kernel<float, float, 32, 8>("
              "cublasLtMatrixTransformParams)",
          .grid = {static_cast<uint32_t>(layout.rows / 32 + 1),
                   static_cast<uint32_t>(layout.cols / 32 + 1), 1},
          .block = {32, 8, 1},
          .registers_per_thread = 32,
          .duration_ns = std::llround(opmodel::StreamingTime(bytes, gpu).ns),
          .effect = {}};
}

cublasStatus_t StatusOf(Error error) {
  if (error == Error::kSuccess) return CUBLAS_STATUS_SUCCESS;
  return error == Error::kInvalidHandle ? CUBLAS_STATUS_INVALID_VALUE
                                        : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace

SIMGPU_API cublasStatus_t cublasLtMatmul(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha,
    const void*, cublasLtMatrixLayout_t a, const void*,
    cublasLtMatrixLayout_t b, const void*, const void*, cublasLtMatrixLayout_t,
    void* to, cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t* algorithm,
    void* workspace, size_t workspace_bytes, cudaStream_t stream) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatmul">(), [&] {
        if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
        if (desc == nullptr || alpha == nullptr) {
          return CUBLAS_STATUS_INVALID_VALUE;
        }
        const auto& state = StateOf<LtMatmulDesc>(desc);
        const auto op = LtOperation(state, reinterpret_cast<LtLayout*>(a),
                                    reinterpret_cast<LtLayout*>(b),
                                    reinterpret_cast<LtLayout*>(d));
        if (!op) return CUBLAS_STATUS_INVALID_VALUE;
        const MayWrite writes(
            {{to, BytesOf(*reinterpret_cast<LtLayout*>(d)),
              NumberTypeOf(DTypeOf(static_cast<cudaDataType>(
                  reinterpret_cast<LtLayout*>(d)->type)))},
             {workspace, workspace_bytes},
             {state.aux},
             {state.amax_d},
             {state.aux_amax},
             {state.scale_d_out},
             {NeedsBiasGradient(state.epilogue) ? state.bias : nullptr}});
        return StatusOf(Launch(*op, state, algorithm, stream));
      });
}

SIMGPU_API cublasStatus_t cublasLtMatrixTransform(
    cublasLtHandle_t handle, cublasLtMatrixTransformDesc_t desc, const void*,
    const void*, cublasLtMatrixLayout_t, const void*, const void*,
    cublasLtMatrixLayout_t, void*, cublasLtMatrixLayout_t c,
    cudaStream_t stream) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatrixTransform">(), [&] {
        if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
        if (desc == nullptr || c == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
        return StatusOf(LaunchLibraryKernel(
            stream, Transform(StateOf<LtLayout>(c), GpuOfStream(stream))));
      });
}

}  // namespace dltap::simgpu
