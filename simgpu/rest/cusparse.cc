// SPDX-License-Identifier: Apache-2.0
#include <cusparse.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "simgpu/base/library_entry.h"
#include "simgpu/base/typed_name.h"
#include "simgpu/rest/computing_call.h"
#include "simgpu/rest/version_query.h"

// A matrix or vector remembers its sizes, which host code reads back and which
// say how long a product takes.

namespace dltap::simgpu {
namespace {

// cusparse.h of CUDA 13.0.
constexpr LibraryVersion kVersion{12, 6, 3, CUSPARSE_STATUS_INVALID_VALUE};

// Formats with a default body give 64 zero bytes (AllocateDefaultHandle), which
// serve as a matrix without elements.
struct Object {
  int64_t rows;
  int64_t columns;
  int64_t nonzeros;  // of a dense one: all
  specs::DType dtype;
};

template <typename Vendors>
cusparseStatus_t Create(ApiFunction& function, Vendors* made,
                        const Object& object) {
  return RunEntry<CUSPARSE_STATUS_NOT_INITIALIZED>(function, [&] {
    if (made == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    auto* copy = static_cast<Object*>(std::calloc(1, sizeof(object)));
    *copy = object;
    *made = reinterpret_cast<Vendors>(copy);
    return CUSPARSE_STATUS_SUCCESS;
  });
}

template <typename Vendors>
cusparseStatus_t Destroy(ApiFunction& function, Vendors object) {
  return RunEntry<CUSPARSE_STATUS_NOT_INITIALIZED>(function, [&] {
    std::free(const_cast<void*>(static_cast<const void*>(object)));
    return CUSPARSE_STATUS_SUCCESS;
  });
}

struct Handle {
  void* stream = nullptr;
};

Handle* AsHandle(void* handle) { return static_cast<Handle*>(handle); }

const Object& ObjectOf(const void* descriptor) {
  static constexpr Object kNothing{};
  return descriptor != nullptr ? *static_cast<const Object*>(descriptor)
                               : kNothing;
}

// The kernel of a routine; the first row that fits.
struct Row {
  std::string_view prefix;
  const char* kernel;
};
constexpr Row kRows[] = {
    {"SpMM",
     "void cusparse::csrmm_v2_kernel<cusparse::CsrMMPolicy<int, $T, $T, $T, "
     "void>, int, int, int, $T, $T, $T>(cusparse::KernelCoeff<$T>, int, int)"},
    {"SpMV",
     "void cusparse::csrmv_v3_kernel<std::integral_constant<bool, false>, int, "
     "int, $T, $T, $T, $T, void>(cusparse::KernelCoeffs<$T>, int const*)"},
    {"SDDMM", "void cusparse::sddmm_csr_kernel<int, int, $T, $T>(int, int)"},
    {"SpSM", "void cusparse::csrsm_v3_kernel<int, int, $T>(int, int, $T*)"},
    {"SpSV", "void cusparse::csrsv_v3_kernel<int, int, $T>(int, int, $T*)"},
    {"SpGEMM",
     "void cusparse::spgemm_hash_numeric_kernel<int, int, $T>(int, int, $T*)"},
    {"SpVV", "void cusparse::vector_vector_kernel<int, $T>(int, $T*)"},
    {"bsrs", "void bsrsm2_kernel<$T, 32>(int, int, $T*)"},
    {"bsrmm", "void bsrmm_kernel<$T, 32>(int, int, $T*)"},
    {"bsr", "void bsrmv_kernel<$T, 32>(int, int, $T*)"},
    {"coo2csr", "void cusparse::coo2csr_kernel<int>(int const*, int, int*)"},
    {"csr2coo", "void cusparse::csr2coo_kernel<int>(int const*, int, int*)"},
    {"", "void cusparse::convert_kernel<int, $T>(int, $T const*, $T*)"},
};

const char* KernelOf(std::string_view routine, specs::DType dtype) {
  const Row& row = *std::find_if(
      std::begin(kRows), std::end(kRows),
      [&](const Row& each) { return routine.starts_with(each.prefix); });
  return TypedName(row.kernel, dtype);
}

double BytesPerElement(specs::DType dtype) {
  const int bits = specs::Words<specs::DType>::kBits[static_cast<int>(dtype)];
  return bits > 0 ? bits / 8.0 : 4;
}

constexpr double kIndexBytes = 4;

// Each element of a sparse matrix meets a row of the dense one; the caches keep
// none of them.
double BytesOf(const ComputingCall& call, double element) {
  const Object& a = ObjectOf(call.a);
  const Object& b = ObjectOf(call.b);
  const Object& c = ObjectOf(call.c);
  const double width = static_cast<double>(std::max<int64_t>(1, b.columns));
  const double in_descriptors =
      static_cast<double>(a.nonzeros) * (element + kIndexBytes) +
      static_cast<double>(std::min(a.nonzeros, b.nonzeros)) * width * element +
      static_cast<double>(b.nonzeros + c.nonzeros) * element;
  const double block =
      static_cast<double>(std::max<int64_t>(1, call.block * call.block));
  const double in_arguments =
      static_cast<double>(call.nonzeros) * (block * element + kIndexBytes) +
      static_cast<double>(call.m + call.n) * kIndexBytes;
  return in_descriptors + in_arguments;
}

}  // namespace

int RunCusparse(void* handle, const ComputingCall& call) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  const specs::DType dtype = call.dtype == specs::DType::kUnknown
                                 ? ObjectOf(call.a).dtype
                                 : call.dtype;
  const Error error =
      LaunchStreaming(AsHandle(handle)->stream, KernelOf(call.routine, dtype),
                      BytesOf(call, BytesPerElement(dtype)));
  return error == Error::kSuccess ? CUSPARSE_STATUS_SUCCESS
                                  : CUSPARSE_STATUS_EXECUTION_FAILED;
}

SIMGPU_API cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
  return RunEntry<CUSPARSE_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cusparse", "cusparseCreate">(), [&] {
        if (handle == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
        *handle = reinterpret_cast<cusparseHandle_t>(new Handle);
        return CUSPARSE_STATUS_SUCCESS;
      });
}

SIMGPU_API cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  return RunEntry<CUSPARSE_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cusparse", "cusparseDestroy">(), [&] {
        delete AsHandle(handle);
        return CUSPARSE_STATUS_SUCCESS;
      });
}

SIMGPU_API cusparseStatus_t cusparseSetStream(cusparseHandle_t handle,
                                              cudaStream_t stream) {
  return RunEntry<CUSPARSE_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cusparse", "cusparseSetStream">(), [&] {
        if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
        AsHandle(handle)->stream = stream;
        return CUSPARSE_STATUS_SUCCESS;
      });
}

SIMGPU_API cusparseStatus_t cusparseGetStream(cusparseHandle_t handle,
                                              cudaStream_t* stream) {
  return RunEntry<CUSPARSE_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cusparse", "cusparseGetStream">(), [&] {
        if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
        if (stream == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
        *stream = static_cast<cudaStream_t>(AsHandle(handle)->stream);
        return CUSPARSE_STATUS_SUCCESS;
      });
}

#define SIM_COMPRESSED(FORMAT, CONST)                                        \
  SIMGPU_API cusparseStatus_t cusparseCreate##CONST##FORMAT(                 \
      cusparse##CONST##SpMatDescr_t* matrix, int64_t rows, int64_t columns,  \
      int64_t nonzeros, SIM_##CONST void*, SIM_##CONST void*,                \
      SIM_##CONST void*, cusparseIndexType_t, cusparseIndexType_t,           \
      cusparseIndexBase_t, cudaDataType type) {                              \
    return Create(FunctionOf<"cusparse", "cusparseCreate" #CONST #FORMAT>(), \
                  matrix,                                                    \
                  {rows, columns, nonzeros, specs::DTypeOfCuda(type)});      \
  }
#define SIM_KIND(CONST)                                                       \
  SIM_COMPRESSED(Csr, CONST)                                                  \
  SIM_COMPRESSED(Csc, CONST)                                                  \
  SIMGPU_API cusparseStatus_t cusparseCreate##CONST##Coo(                     \
      cusparse##CONST##SpMatDescr_t* matrix, int64_t rows, int64_t columns,   \
      int64_t nonzeros, SIM_##CONST void*, SIM_##CONST void*,                 \
      SIM_##CONST void*, cusparseIndexType_t, cusparseIndexBase_t,            \
      cudaDataType type) {                                                    \
    return Create(FunctionOf<"cusparse", "cusparseCreate" #CONST "Coo">(),    \
                  matrix,                                                     \
                  {rows, columns, nonzeros, specs::DTypeOfCuda(type)});       \
  }                                                                           \
  SIMGPU_API cusparseStatus_t cusparseCreate##CONST##DnMat(                   \
      cusparse##CONST##DnMatDescr_t* matrix, int64_t rows, int64_t columns,   \
      int64_t, SIM_##CONST void*, cudaDataType type, cusparseOrder_t) {       \
    return Create(FunctionOf<"cusparse", "cusparseCreate" #CONST "DnMat">(),  \
                  matrix,                                                     \
                  {rows, columns, rows * columns, specs::DTypeOfCuda(type)}); \
  }                                                                           \
  SIMGPU_API cusparseStatus_t cusparseCreate##CONST##DnVec(                   \
      cusparse##CONST##DnVecDescr_t* vector, int64_t size, SIM_##CONST void*, \
      cudaDataType type) {                                                    \
    return Create(FunctionOf<"cusparse", "cusparseCreate" #CONST "DnVec">(),  \
                  vector, {size, 1, size, specs::DTypeOfCuda(type)});         \
  }
#define SIM_
#define SIM_Const const
SIM_KIND()
SIM_KIND(Const)
#undef SIM_Const
#undef SIM_
#undef SIM_KIND
#undef SIM_COMPRESSED

#define SIM_DESTROY(KIND)                                                      \
  SIMGPU_API cusparseStatus_t cusparseDestroy##KIND(                           \
      cusparseConst##KIND##Descr_t object) {                                   \
    return Destroy(FunctionOf<"cusparse", "cusparseDestroy" #KIND>(), object); \
  }
SIM_DESTROY(SpMat)
SIM_DESTROY(DnMat)
SIM_DESTROY(DnVec)
#undef SIM_DESTROY

// Without a buffer it tells how large that must be.
SIMGPU_API cusparseStatus_t cusparseSpGEMM_compute(
    cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t,
    const void*, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
    const void*, cusparseSpMatDescr_t c, cudaDataType, cusparseSpGEMMAlg_t,
    cusparseSpGEMMDescr_t, size_t* buffer_bytes, void* buffer) {
  constexpr size_t kBufferBytes = 512;
  return RunEntry<CUSPARSE_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cusparse", "cusparseSpGEMM_compute">(), [&] {
        if (buffer_bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
        if (buffer == nullptr) {
          *buffer_bytes = kBufferBytes;
          return CUSPARSE_STATUS_SUCCESS;
        }
        return static_cast<cusparseStatus_t>(RunCusparse(
            handle, {.routine = "SpGEMM_compute", .a = a, .b = b, .c = c}));
      });
}

SIMGPU_API cusparseStatus_t
cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t* rows,
                     int64_t* columns, int64_t* nonzeros) {
  return RunEntry<CUSPARSE_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cusparse", "cusparseSpMatGetSize">(), [&] {
        if (matrix == nullptr || rows == nullptr || columns == nullptr ||
            nonzeros == nullptr) {
          return CUSPARSE_STATUS_INVALID_VALUE;
        }
        const Object& object = ObjectOf(matrix);
        *rows = object.rows;
        *columns = object.columns;
        *nonzeros = object.nonzeros;
        return CUSPARSE_STATUS_SUCCESS;
      });
}

SIMGPU_API cusparseStatus_t cusparseGetVersion(cusparseHandle_t, int* version) {
  return static_cast<cusparseStatus_t>(AnswerVersion(
      FunctionOf<"cusparse", "cusparseGetVersion">(), kVersion, version));
}

SIMGPU_API cusparseStatus_t cusparseGetProperty(libraryPropertyType type,
                                                int* value) {
  return static_cast<cusparseStatus_t>(AnswerProperty(
      FunctionOf<"cusparse", "cusparseGetProperty">(), kVersion, type, value));
}

}  // namespace dltap::simgpu
