// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cublas/lt_algorithms.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "simgpu/base/library_entry.h"
#include "simgpu/cublas/blas_types.h"
#include "simgpu/cublas/lt_attributes.h"
#include "simgpu/launch/library_call.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::GemmPlan;
using opmodel::Operation;

constexpr LtAttribute kConfigAttributes[] = {
    {CUBLASLT_ALGO_CONFIG_ID, offsetof(LtAlgorithm, id), 4},
    {CUBLASLT_ALGO_CONFIG_TILE_ID, offsetof(LtAlgorithm, tile_id), 4},
    {CUBLASLT_ALGO_CONFIG_SPLITK_NUM, offsetof(LtAlgorithm, split_k), 4},
    {CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME,
     offsetof(LtAlgorithm, reduction_scheme), 4},
    {CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, offsetof(LtAlgorithm, swizzling), 4},
    {CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, offsetof(LtAlgorithm, custom_option),
     4},
    {CUBLASLT_ALGO_CONFIG_STAGES_ID, offsetof(LtAlgorithm, stages), 4},
    {CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, offsetof(LtAlgorithm, inner_shape),
     2},
    {CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID,
     offsetof(LtAlgorithm, cluster_shape), 2},
};

struct TileRow {
  int m;
  int n;
  cublasLtMatmulTile_t id;
};
constexpr TileRow kTiles[] = {
    {32, 32, CUBLASLT_MATMUL_TILE_32x32},
    {32, 64, CUBLASLT_MATMUL_TILE_32x64},
    {64, 32, CUBLASLT_MATMUL_TILE_64x32},
    {32, 128, CUBLASLT_MATMUL_TILE_32x128},
    {128, 32, CUBLASLT_MATMUL_TILE_128x32},
    {64, 64, CUBLASLT_MATMUL_TILE_64x64},
    {64, 128, CUBLASLT_MATMUL_TILE_64x128},
    {128, 64, CUBLASLT_MATMUL_TILE_128x64},
    {128, 128, CUBLASLT_MATMUL_TILE_128x128},
    {64, 256, CUBLASLT_MATMUL_TILE_64x256},
    {256, 64, CUBLASLT_MATMUL_TILE_256x64},
    {128, 256, CUBLASLT_MATMUL_TILE_128x256},
    {256, 128, CUBLASLT_MATMUL_TILE_256x128},
};

uint32_t TileId(const GemmPlan& plan) {
  for (const TileRow& row : kTiles) {
    if (row.m == plan.tile_m && row.n == plan.tile_n) return row.id;
  }
  return CUBLASLT_MATMUL_TILE_UNDEFINED;
}

float WavesOf(const Operation& op, const GemmPlan& plan,
              const opmodel::GpuSpec& gpu) {
  const double blocks = std::ceil(op[Dim::kM] / double(plan.tile_m)) *
                        std::ceil(op[Dim::kN] / double(plan.tile_n)) *
                        op[Dim::kBatch] * plan.split_k;
  return static_cast<float>(blocks / gpu.sms);
}

// Fills up to `wanted` results, fastest first, within the workspace.
int FillResults(const Operation& op, uint64_t max_workspace_bytes, int wanted,
                cublasLtMatmulHeuristicResult_t* results) {
  const opmodel::GpuSpec& gpu = GpuOfStream(nullptr);
  int id = 0;
  int found = 0;
  for (const GemmPlan& plan :
       opmodel::GemmPlansOf(opmodel::GemmShapeOf(op, gpu), gpu)) {
    if (found == wanted) break;
    const LtAlgorithm algorithm = AlgorithmOf(plan, id++);
    if (plan.workspace_bytes > static_cast<double>(max_workspace_bytes)) {
      continue;
    }
    cublasLtMatmulHeuristicResult_t& result = results[found++];
    result = {};
    std::memcpy(&result.algo, &algorithm, sizeof algorithm);
    result.workspaceSize = static_cast<size_t>(plan.workspace_bytes);
    result.state = CUBLAS_STATUS_SUCCESS;
    result.wavesCount = WavesOf(op, plan, gpu);
  }
  return found;
}

}  // namespace

std::optional<Operation> LtOperation(const LtMatmulDesc& desc,
                                     const LtLayout* a, const LtLayout* b,
                                     const LtLayout* d) {
  if (a == nullptr || b == nullptr || d == nullptr) return std::nullopt;
  const bool trans_a = desc.trans_a != CUBLAS_OP_N;
  const bool trans_b = desc.trans_b != CUBLAS_OP_N;
  const uint64_t inner = trans_a ? a->rows : a->cols;
  if (inner != (trans_b ? b->cols : b->rows)) return std::nullopt;
  Operation op{.kind = opmodel::OpKind::kGemm};
  op.storage = DTypeOf(static_cast<cudaDataType>(a->type));
  if (op.storage == DType::kUnknown) return std::nullopt;
  op.math = MathOf(static_cast<cublasComputeType_t>(desc.compute_type),
                   op.storage, CUBLAS_DEFAULT_MATH);
  op[Dim::kBatch] = std::max(1, d->batch_count);
  op[Dim::kM] = static_cast<int64_t>(d->rows);
  op[Dim::kN] = static_cast<int64_t>(d->cols);
  op[Dim::kK] = static_cast<int64_t>(inner);
  op[Dim::kTransA] = trans_a;
  op[Dim::kTransB] = trans_b;
  return op;
}

LtAlgorithm AlgorithmOf(const GemmPlan& plan, int id) {
  LtAlgorithm algorithm{};
  algorithm.id = id;
  algorithm.tile_m = plan.tile_m;
  algorithm.tile_n = plan.tile_n;
  algorithm.split_k = plan.split_k;
  algorithm.reduction_scheme = plan.split_k > 1
                                   ? CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE
                                   : CUBLASLT_REDUCTION_SCHEME_NONE;
  algorithm.tile_id = TileId(plan);
  return algorithm;
}

GemmPlan PlanOf(const LtAlgorithm& algorithm, const Operation& op,
                const opmodel::GpuSpec& gpu) {
  const opmodel::GemmShape shape = opmodel::GemmShapeOf(op, gpu);
  if (algorithm.tile_m == 0) return opmodel::BestGemmPlan(shape, gpu);
  const auto plans = opmodel::GemmPlansOf(shape, gpu);
  const auto found =
      std::find_if(plans.begin(), plans.end(), [&](const GemmPlan& plan) {
        return plan.tile_m == algorithm.tile_m &&
               plan.tile_n == algorithm.tile_n &&
               plan.split_k == algorithm.split_k;
      });
  return found == plans.end() ? plans.front() : *found;
}

SIMGPU_API cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t,
    cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t preference, int wanted,
    cublasLtMatmulHeuristicResult_t results[], int* found) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatmulAlgoGetHeuristic">(), [&] {
        if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
        if (desc == nullptr || preference == nullptr || wanted <= 0 ||
            results == nullptr || found == nullptr) {
          return CUBLAS_STATUS_INVALID_VALUE;
        }
        const auto op = LtOperation(
            StateOf<LtMatmulDesc>(desc), reinterpret_cast<LtLayout*>(a),
            reinterpret_cast<LtLayout*>(b), reinterpret_cast<LtLayout*>(d));
        if (!op) return CUBLAS_STATUS_INVALID_VALUE;
        *found = FillResults(
            *op, StateOf<LtPreference>(preference).max_workspace_bytes, wanted,
            results);
        return *found == 0 ? CUBLAS_STATUS_NOT_SUPPORTED
                           : CUBLAS_STATUS_SUCCESS;
      });
}

SIMGPU_API cublasStatus_t cublasLtMatmulAlgoCheck(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t,
    cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t* algorithm,
    cublasLtMatmulHeuristicResult_t* result) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatmulAlgoCheck">(), [&] {
        if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
        if (desc == nullptr || algorithm == nullptr || result == nullptr) {
          return CUBLAS_STATUS_INVALID_VALUE;
        }
        const auto op = LtOperation(
            StateOf<LtMatmulDesc>(desc), reinterpret_cast<LtLayout*>(a),
            reinterpret_cast<LtLayout*>(b), reinterpret_cast<LtLayout*>(d));
        if (!op) return CUBLAS_STATUS_INVALID_VALUE;
        const opmodel::GpuSpec& gpu = GpuOfStream(nullptr);
        const GemmPlan plan = PlanOf(StateOf<LtAlgorithm>(algorithm), *op, gpu);
        *result = {};
        result->algo = *algorithm;
        result->workspaceSize = static_cast<size_t>(plan.workspace_bytes);
        result->wavesCount = WavesOf(*op, plan, gpu);
        return CUBLAS_STATUS_SUCCESS;
      });
}

SIMGPU_API cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(
    cublasLtMatmulAlgo_t* algorithm, cublasLtMatmulAlgoConfigAttributes_t id,
    const void* value, size_t bytes) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatmulAlgoConfigSetAttribute">(), [&] {
        return SetLtAttribute(kConfigAttributes, algorithm, id, value, bytes);
      });
}

SIMGPU_API cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(
    const cublasLtMatmulAlgo_t* algorithm,
    cublasLtMatmulAlgoConfigAttributes_t id, void* value, size_t bytes,
    size_t* written) {
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "cublasLtMatmulAlgoConfigGetAttribute">(), [&] {
        return GetLtAttribute(kConfigAttributes, algorithm, id, value, bytes,
                              written);
      });
}

}  // namespace dltap::simgpu
