// SPDX-License-Identifier: Apache-2.0
// cublasLtMatmul: the shape lies in layouts, transposition and epilogue in the
// descriptor. All are read with the vendor's getters (about 20 ns each with
// libcublasLt 13, beside a call of microseconds); any may be missing.
#include "shim/tap/tagging/cublaslt.h"

#include <cublasLt.h>

#include <cstring>

#include "opmodel/operation.h"
#include "shim/tap/tagging/operation_table.h"
#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim {
namespace tagging {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;

using GetAttribute = int (*)(void* object, int attribute, void* value,
                             size_t bytes, size_t* written);
[[gnu::section("dltap_at_load")]] constinit RealFunction<GetAttribute>
    g_get_layout("cublasLtMatrixLayoutGetAttribute");
[[gnu::section("dltap_at_load")]] constinit RealFunction<GetAttribute>
    g_get_desc("cublasLtMatmulDescGetAttribute");

// `fallback` when the attribute cannot be read.
template <typename T>
T Read(RealFunction<GetAttribute>& getter, void* object, int attribute,
       T fallback) {
  const GetAttribute get = getter.Get();
  T value = fallback;
  size_t written = 0;
  if (object == nullptr || get == nullptr ||
      get(object, attribute, &value, sizeof(value), &written) != 0) {
    return fallback;
  }
  return value;
}

DType MathOf(int32_t compute, DType storage) {
  switch (compute) {
    case CUBLAS_COMPUTE_32F_FAST_16F: return DType::kF16;
    case CUBLAS_COMPUTE_32F_FAST_16BF: return DType::kBf16;
    case CUBLAS_COMPUTE_32F_FAST_TF32: return DType::kTf32;
    default: return storage;
  }
}

int64_t RowsOf(void* layout) {
  return Read<int64_t>(g_get_layout, layout, CUBLASLT_MATRIX_LAYOUT_ROWS, 0);
}
int64_t ColumnsOf(void* layout) {
  return Read<int64_t>(g_get_layout, layout, CUBLASLT_MATRIX_LAYOUT_COLS, 0);
}

Operation GemmOf(void* compute, void* a, void* d) {
  const bool transposed_a =
      Read<int32_t>(g_get_desc, compute, CUBLASLT_MATMUL_DESC_TRANSA, 0) != 0;
  const bool transposed_b =
      Read<int32_t>(g_get_desc, compute, CUBLASLT_MATMUL_DESC_TRANSB, 0) != 0;
  Operation op;
  op.kind = OpKind::kGemm;
  op.storage = specs::DTypeOfCuda(
      Read<int32_t>(g_get_layout, a, CUBLASLT_MATRIX_LAYOUT_TYPE, -1));
  op.math = MathOf(
      Read<int32_t>(g_get_desc, compute, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, 0),
      op.storage);
  op[Dim::kM] = RowsOf(d);
  op[Dim::kN] = ColumnsOf(d);
  op[Dim::kK] = transposed_a ? RowsOf(a) : ColumnsOf(a);
  op[Dim::kTransA] = transposed_a;
  op[Dim::kTransB] = transposed_b;
  op[Dim::kBatch] =
      Read<int32_t>(g_get_layout, d, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 1);
  return op;
}

// Bias, activation and their gradients, fused behind the product.
Operation EpilogueOf(const Operation& gemm) {
  Operation op;
  op.kind = OpKind::kPointwise;
  op.storage = gemm.storage;
  op.math = gemm.storage;
  const int64_t elements = gemm[Dim::kM] * gemm[Dim::kN] * gemm[Dim::kBatch];
  op[Dim::kElementsIn] = elements;
  op[Dim::kElementsOut] = elements;
  return op;
}

}  // namespace
}  // namespace tagging

void hooks::CublasLtMatmul::Pack(uint8_t* at, void* compute, void* a, void*,
                                 void* c, void* d) {
  const opmodel::Operation gemm =
      tagging::GemmOf(compute, a, d != nullptr ? d : c);
  tagging::OperationEncoder nodes;
  nodes.Add(gemm);
  const auto epilogue = tagging::Read<uint32_t>(tagging::g_get_desc, compute,
                                                CUBLASLT_MATMUL_DESC_EPILOGUE,
                                                CUBLASLT_EPILOGUE_DEFAULT);
  if (epilogue != CUBLASLT_EPILOGUE_DEFAULT) {
    nodes.Add(tagging::EpilogueOf(gemm));
  }
  const uint32_t id =
      tagging::g_operations.Defined(tagging::g_operations.Intern(nodes));
  memcpy(at, &id, sizeof(id));
}

}  // namespace dltap::shim
