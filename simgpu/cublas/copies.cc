// SPDX-License-Identifier: Apache-2.0
#include <cublas_v2.h>

#include <optional>

#include "simgpu/base/library_entry.h"
#include "simgpu/cublas/blas_handle.h"
#include "simgpu/memory/transfer.h"
#include "simgpu/stream/stream.h"

namespace dltap::simgpu {
namespace {

// A copy of `columns` runs of `bytes`, whose starts lie pitches apart.
struct Runs {
  void* destination;
  const void* source;
  int64_t bytes;
  int64_t columns;
  int64_t destination_pitch;
  int64_t source_pitch;
};

cublasStatus_t Copy(const Runs& runs, CopyDirection direction,
                    const cudaStream_t* stream_handle) {
  if (runs.bytes < 0 || runs.columns < 0 ||
      (runs.columns > 1 && (runs.destination_pitch < runs.bytes ||
                            runs.source_pitch < runs.bytes))) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (runs.bytes == 0 || runs.columns == 0) return CUBLAS_STATUS_SUCCESS;
  if (const Error error = InitializeDevices(); error != Error::kSuccess) {
    return BlasStatus(error);
  }
  Stream* stream =
      ResolveStream(stream_handle == nullptr ? nullptr : *stream_handle);
  if (stream == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const auto width = static_cast<size_t>(runs.bytes);
  CopyShape shape = Linear(width);
  shape.height = static_cast<size_t>(runs.columns);
  shape.destination_pitch = static_cast<size_t>(runs.destination_pitch);
  shape.source_pitch = static_cast<size_t>(runs.source_pitch);
  CopyWork copy;
  const Error error =
      MakeCopy(runs.destination, runs.source, shape, direction, &copy);
  if (error != Error::kSuccess) return CUBLAS_STATUS_MAPPING_ERROR;
  return BlasStatus(stream_handle == nullptr ? CopySync(*stream, copy)
                                             : CopyAsync(*stream, copy));
}

Runs Vector(int64_t n, int64_t element, const void* x, int64_t incx, void* y,
            int64_t incy) {
  if (incx == 1 && incy == 1)
    return {y, x, n * element, 1, n * element, n * element};
  return {y, x, element, n, incy * element, incx * element};
}

Runs Matrix(int64_t rows, int64_t columns, int64_t element, const void* a,
            int64_t lda, void* b, int64_t ldb) {
  return {b, a, rows * element, columns, ldb * element, lda * element};
}

constexpr auto kToDevice = CopyDirection::kHostToDevice;
constexpr auto kToHost = CopyDirection::kDeviceToHost;

}  // namespace

// One definition per index type: INT is int or int64_t, SUFFIX empty or _64.
#define SIM_COPIES(INT, SUFFIX, NAME)                                          \
  SIMGPU_API cublasStatus_t cublasSetVector##SUFFIX(                           \
      INT n, INT element, const void* x, INT incx, void* y, INT incy) {        \
    return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(                            \
        FunctionOf<"cublas", "cublasSetVector" NAME>(), [&] {                  \
          return Copy(Vector(n, element, x, incx, y, incy), kToDevice,         \
                      nullptr);                                                \
        });                                                                    \
  }                                                                            \
  SIMGPU_API cublasStatus_t cublasGetVector##SUFFIX(                           \
      INT n, INT element, const void* x, INT incx, void* y, INT incy) {        \
    return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(                            \
        FunctionOf<"cublas", "cublasGetVector" NAME>(), [&] {                  \
          return Copy(Vector(n, element, x, incx, y, incy), kToHost, nullptr); \
        });                                                                    \
  }                                                                            \
  SIMGPU_API cublasStatus_t cublasSetMatrix##SUFFIX(                           \
      INT rows, INT columns, INT element, const void* a, INT lda, void* b,     \
      INT ldb) {                                                               \
    return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(                            \
        FunctionOf<"cublas", "cublasSetMatrix" NAME>(), [&] {                  \
          return Copy(Matrix(rows, columns, element, a, lda, b, ldb),          \
                      kToDevice, nullptr);                                     \
        });                                                                    \
  }                                                                            \
  SIMGPU_API cublasStatus_t cublasGetMatrix##SUFFIX(                           \
      INT rows, INT columns, INT element, const void* a, INT lda, void* b,     \
      INT ldb) {                                                               \
    return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(                            \
        FunctionOf<"cublas", "cublasGetMatrix" NAME>(), [&] {                  \
          return Copy(Matrix(rows, columns, element, a, lda, b, ldb), kToHost, \
                      nullptr);                                                \
        });                                                                    \
  }                                                                            \
  SIMGPU_API cublasStatus_t cublasSetVectorAsync##SUFFIX(                      \
      INT n, INT element, const void* x, INT incx, void* y, INT incy,          \
      cudaStream_t stream) {                                                   \
    return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(                            \
        FunctionOf<"cublas", "cublasSetVectorAsync" NAME>(), [&] {             \
          return Copy(Vector(n, element, x, incx, y, incy), kToDevice,         \
                      &stream);                                                \
        });                                                                    \
  }                                                                            \
  SIMGPU_API cublasStatus_t cublasGetVectorAsync##SUFFIX(                      \
      INT n, INT element, const void* x, INT incx, void* y, INT incy,          \
      cudaStream_t stream) {                                                   \
    return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(                            \
        FunctionOf<"cublas", "cublasGetVectorAsync" NAME>(), [&] {             \
          return Copy(Vector(n, element, x, incx, y, incy), kToHost, &stream); \
        });                                                                    \
  }                                                                            \
  SIMGPU_API cublasStatus_t cublasSetMatrixAsync##SUFFIX(                      \
      INT rows, INT columns, INT element, const void* a, INT lda, void* b,     \
      INT ldb, cudaStream_t stream) {                                          \
    return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(                            \
        FunctionOf<"cublas", "cublasSetMatrixAsync" NAME>(), [&] {             \
          return Copy(Matrix(rows, columns, element, a, lda, b, ldb),          \
                      kToDevice, &stream);                                     \
        });                                                                    \
  }                                                                            \
  SIMGPU_API cublasStatus_t cublasGetMatrixAsync##SUFFIX(                      \
      INT rows, INT columns, INT element, const void* a, INT lda, void* b,     \
      INT ldb, cudaStream_t stream) {                                          \
    return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(                            \
        FunctionOf<"cublas", "cublasGetMatrixAsync" NAME>(), [&] {             \
          return Copy(Matrix(rows, columns, element, a, lda, b, ldb), kToHost, \
                      &stream);                                                \
        });                                                                    \
  }
SIM_COPIES(int, , "")
SIM_COPIES(int64_t, _64, "_64")
#undef SIM_COPIES

}  // namespace dltap::simgpu
