// SPDX-License-Identifier: Apache-2.0
#include <cusparseLt.h>

#include <cmath>
#include <cstring>

#include "opmodel/device_time.h"
#include "simgpu/base/library_entry.h"
#include "simgpu/base/typed_name.h"
#include "simgpu/launch/library_call.h"
#include "simgpu/rest/computing_call.h"
#include "simgpu/rest/version_query.h"

// Products with a matrix of which two of four elements are zero. Descriptors
// and plans are the program's memory, large enough for what is kept in them.

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::Operation;
using opmodel::OpKind;

// cusparseLt.h of release 0.8.
constexpr LibraryVersion kVersion{0, 8, 0, CUSPARSE_STATUS_INVALID_VALUE};

struct Matrix {
  int64_t rows;
  int64_t columns;
  int32_t type;  // cudaDataType
};

struct Product {
  int64_t m;
  int64_t n;
  int64_t k;
  int32_t type;
};

template <typename Kept, typename Vendors>
Kept Read(const Vendors* place) {
  Kept kept;
  std::memcpy(&kept, place, sizeof(kept));
  return kept;
}

template <typename Kept, typename Vendors>
void Write(Vendors* place, const Kept& kept) {
  static_assert(sizeof(kept) <= sizeof(Vendors));
  std::memcpy(static_cast<void*>(place), &kept, sizeof(kept));
}

template <typename Body>
cusparseStatus_t Run(ApiFunction& function, const void* handle, Body&& body) {
  return RunEntry<CUSPARSE_STATUS_NOT_INITIALIZED>(function, [&] {
    return handle == nullptr ? CUSPARSE_STATUS_INVALID_VALUE : body();
  });
}

cusparseStatus_t Describe(ApiFunction& function, const void* handle,
                          cusparseLtMatDescriptor_t* descriptor,
                          const Matrix& matrix) {
  return Run(function, handle, [&] {
    if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    Write(descriptor, matrix);
    return CUSPARSE_STATUS_SUCCESS;
  });
}

double Bytes(const Matrix& matrix) {
  const double bits = opmodel::BitsOf(specs::DTypeOfCuda(matrix.type));
  return static_cast<double>(matrix.rows * matrix.columns) * bits / 8;
}

// Half of the elements, and two bits that tell the place of each.
size_t CompressedBytes(const Matrix& matrix) {
  const double elements = static_cast<double>(matrix.rows * matrix.columns);
  return static_cast<size_t>(std::llround(Bytes(matrix) / 2 + elements / 8));
}

// Sparse tensor cores skip the zeros; moving the operands keeps the rest from
// being twice as fast.
constexpr double kShareOfDense = 0.6;

cusparseStatus_t Launch(const cusparseLtMatmulPlan_t* plan,
                        const cudaStream_t* streams, int32_t stream_count) {
  const auto product = Read<Product>(plan);
  void* stream = streams != nullptr && stream_count > 0 ? streams[0] : nullptr;
  Operation op;
  op.kind = OpKind::kGemm;
  op.storage = op.math = specs::DTypeOfCuda(product.type);
  op[Dim::kM] = product.m;
  op[Dim::kN] = product.n;
  op[Dim::kK] = product.k;
  op[Dim::kBatch] = 1;
  const auto time = opmodel::TimeOf(op, GpuOfStream(stream));
  if (!time) return CUSPARSE_STATUS_NOT_SUPPORTED;
  const double blocks = std::ceil(static_cast<double>(product.m) / 128) *
                        std::ceil(static_cast<double>(product.n) / 128);
  const Error error = LaunchLibraryKernel(
      stream, {.name = TypedName("sm80_xmma_sparse_gemm_$T_128x128_32x4_tn_"
                                 "execute_kernel_cusparse",
                                 op.storage),
               .grid = {static_cast<uint32_t>(blocks), 1, 1},
               .duration_ns = std::llround(time->ns * kShareOfDense)});
  return error == Error::kSuccess ? CUSPARSE_STATUS_SUCCESS
                                  : CUSPARSE_STATUS_EXECUTION_FAILED;
}

}  // namespace

SIMGPU_API cusparseStatus_t cusparseLtDenseDescriptorInit(
    const cusparseLtHandle_t* handle, cusparseLtMatDescriptor_t* descriptor,
    int64_t rows, int64_t columns, int64_t, uint32_t, cudaDataType type,
    cusparseOrder_t) {
  return Describe(FunctionOf<"cusparselt", "cusparseLtDenseDescriptorInit">(),
                  handle, descriptor, {rows, columns, type});
}

SIMGPU_API cusparseStatus_t cusparseLtStructuredDescriptorInit(
    const cusparseLtHandle_t* handle, cusparseLtMatDescriptor_t* descriptor,
    int64_t rows, int64_t columns, int64_t, uint32_t, cudaDataType type,
    cusparseOrder_t, cusparseLtSparsity_t) {
  return Describe(
      FunctionOf<"cusparselt", "cusparseLtStructuredDescriptorInit">(), handle,
      descriptor, {rows, columns, type});
}

SIMGPU_API cusparseStatus_t cusparseLtMatmulDescriptorInit(
    const cusparseLtHandle_t* handle, cusparseLtMatmulDescriptor_t* descriptor,
    cusparseOperation_t a_is, cusparseOperation_t b_is,
    const cusparseLtMatDescriptor_t* a, const cusparseLtMatDescriptor_t* b,
    const cusparseLtMatDescriptor_t*, const cusparseLtMatDescriptor_t*,
    cusparseComputeType) {
  return Run(FunctionOf<"cusparselt", "cusparseLtMatmulDescriptorInit">(),
             handle, [&] {
               if (descriptor == nullptr || a == nullptr || b == nullptr) {
                 return CUSPARSE_STATUS_INVALID_VALUE;
               }
               const auto left = Read<Matrix>(a);
               const auto right = Read<Matrix>(b);
               const bool turned = a_is != CUSPARSE_OPERATION_NON_TRANSPOSE;
               const bool b_turned = b_is != CUSPARSE_OPERATION_NON_TRANSPOSE;
               Write(descriptor,
                     Product{.m = turned ? left.columns : left.rows,
                             .n = b_turned ? right.rows : right.columns,
                             .k = turned ? left.rows : left.columns,
                             .type = left.type});
               return CUSPARSE_STATUS_SUCCESS;
             });
}

SIMGPU_API cusparseStatus_t cusparseLtMatmulPlanInit(
    const cusparseLtHandle_t* handle, cusparseLtMatmulPlan_t* plan,
    const cusparseLtMatmulDescriptor_t* descriptor,
    const cusparseLtMatmulAlgSelection_t*) {
  return Run(FunctionOf<"cusparselt", "cusparseLtMatmulPlanInit">(), handle,
             [&] {
               if (plan == nullptr || descriptor == nullptr) {
                 return CUSPARSE_STATUS_INVALID_VALUE;
               }
               Write(plan, Read<Product>(descriptor));
               return CUSPARSE_STATUS_SUCCESS;
             });
}

SIMGPU_API cusparseStatus_t cusparseLtMatmul(
    const cusparseLtHandle_t* handle, const cusparseLtMatmulPlan_t* plan,
    const void*, const void*, const void*, const void*, const void*, void*,
    void*, cudaStream_t* streams, int32_t stream_count) {
  return Run(FunctionOf<"cusparselt", "cusparseLtMatmul">(), handle, [&] {
    if (plan == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return Launch(plan, streams, stream_count);
  });
}

SIMGPU_API cusparseStatus_t cusparseLtMatmulSearch(
    const cusparseLtHandle_t* handle, cusparseLtMatmulPlan_t* plan, const void*,
    const void*, const void*, const void*, const void*, void*, void*,
    cudaStream_t* streams, int32_t stream_count) {
  constexpr int kTrials = 5;
  return Run(FunctionOf<"cusparselt", "cusparseLtMatmulSearch">(), handle, [&] {
    if (plan == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
    for (int i = 0; i < kTrials && status == CUSPARSE_STATUS_SUCCESS; ++i) {
      status = Launch(plan, streams, stream_count);
    }
    return status;
  });
}

SIMGPU_API cusparseStatus_t
cusparseLtSpMMACompressedSize2(const cusparseLtHandle_t* handle,
                               const cusparseLtMatDescriptor_t* descriptor,
                               size_t* compressed_bytes, size_t* buffer_bytes) {
  return Run(FunctionOf<"cusparselt", "cusparseLtSpMMACompressedSize2">(),
             handle, [&] {
               if (descriptor == nullptr || compressed_bytes == nullptr ||
                   buffer_bytes == nullptr) {
                 return CUSPARSE_STATUS_INVALID_VALUE;
               }
               *compressed_bytes = CompressedBytes(Read<Matrix>(descriptor));
               *buffer_bytes = 0;
               return CUSPARSE_STATUS_SUCCESS;
             });
}

SIMGPU_API cusparseStatus_t cusparseLtSpMMACompress2(
    const cusparseLtHandle_t* handle,
    const cusparseLtMatDescriptor_t* descriptor, int, cusparseOperation_t,
    const void*, void*, void*, cudaStream_t stream) {
  return Run(
      FunctionOf<"cusparselt", "cusparseLtSpMMACompress2">(), handle, [&] {
        if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
        const double bytes = 1.5 * Bytes(Read<Matrix>(descriptor));
        return LaunchStreaming(stream,
                               "void cusparseLt::compress_kernel<int>(int)",
                               bytes) == Error::kSuccess
                   ? CUSPARSE_STATUS_SUCCESS
                   : CUSPARSE_STATUS_EXECUTION_FAILED;
      });
}

SIMGPU_API cusparseStatus_t cusparseLtGetVersion(const cusparseLtHandle_t*,
                                                 int* version) {
  return static_cast<cusparseStatus_t>(AnswerVersion(
      FunctionOf<"cusparselt", "cusparseLtGetVersion">(), kVersion, version));
}

SIMGPU_API cusparseStatus_t cusparseLtGetProperty(libraryPropertyType type,
                                                  int* value) {
  return static_cast<cusparseStatus_t>(
      AnswerProperty(FunctionOf<"cusparselt", "cusparseLtGetProperty">(),
                     kVersion, type, value));
}

}  // namespace dltap::simgpu
