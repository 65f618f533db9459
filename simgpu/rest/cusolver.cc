// SPDX-License-Identifier: Apache-2.0
#include <cusolverDn.h>
#include <cusolverSp.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "opmodel/device_time.h"
#include "simgpu/base/library_entry.h"
#include "simgpu/base/typed_name.h"
#include "simgpu/launch/library_call.h"
#include "simgpu/rest/computing_call.h"
#include "simgpu/rest/version_query.h"

// A factorization goes over the matrix in panels of columns: a kernel works one
// panel off, column after column, and a product brings the rest up to date.
// Routines that need more (eigenvectors) sweep again.

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;

// cusolver_common.h of CUDA 13.0.
constexpr LibraryVersion kVersion{12, 0, 4, CUSOLVER_STATUS_INVALID_VALUE};

struct Sweep {
  const char* panel;  // $T: element type; null: no more sweeps
  double column_ns;   // a column waits for the one before it
  double reads;       // of the rest of the matrix, by each column
  double products;    // updates of the rest by a panel, in whole products
};

constexpr int kMostSweeps = 3;

struct Family {
  std::string_view prefix;  // of the routine's name; the first row that fits
  std::array<Sweep, kMostSweeps> sweeps;
};

constexpr char kUpdate[] =
    "void gemm_kernel2x2_core<$T, false, false, false, true, false, false>"
    "($T*, $T const*, $T const*, int, int, int, int, int, int)";

constexpr Sweep kTridiagonal{
    "void sytd2_upper_cta<$T, $T, 4>(int, $T*, unsigned long, $T*, $T*, $T*)",
    4000, 1, 1};
constexpr Sweep kEigenvectors{
    "void stedcx_merge_update_kernel<$T>(int, $T*, $T*, $T*, int)", 500, 0, 2};
constexpr Sweep kBacktransform{
    "void larft_kernel<$T, 64>(int, int, $T*, int, $T*, $T*)", 200, 0, 2};
constexpr Sweep kBidiagonal{
    "void gebd2_kernel<$T, $T, 4>(int, int, $T*, int, $T*, $T*, $T*, $T*)",
    6000, 2, 2};
constexpr Sweep kReflectors{
    "void geqr2_smem<$T, $T, 8, 6, 4>(int, int, $T*, unsigned long, $T*)", 1500,
    0, 2};
constexpr Sweep kTriangles{
    "void trsm_left_kernel<$T, 256, 4, false, true, true, false, false>"
    "(cublasTrsmParams<$T>, $T, $T const*, int)",
    100, 0, 1};

constexpr Sweep kPivoting{
    "void getrf_pivot<$T, $T, 0, 5, 128, 40, 128>(int, int, int, $T*, unsigned "
    "long, int*, int*)",
    1500, 0, 1};

constexpr Family kFamilies[] = {
    {"potrf",
     {{{"void potrf_alg2_cta_lower<$T, $T, 5>(int, int, $T*, unsigned long, "
        "int*)",
        500, 0, 0.5}}}},
    {"potr", {{kTriangles, kTriangles}}},  // potrs, potri
    {"getrf", {{kPivoting}}},
    {"getr", {{kTriangles, kTriangles}}},
    {"gesvd", {{kBidiagonal, kEigenvectors, kBacktransform}}},
    {"gesv", {{kPivoting, kTriangles, kTriangles}}},
    {"geqrf", {{kReflectors}}},
    {"or", {{kBacktransform}}},  // orgqr, ormqr, orgtr, ...
    {"un", {{kBacktransform}}},
    {"gebrd", {{kBidiagonal}}},
    {"gels", {{kReflectors, kTriangles}}},
    {"geev", {{kBidiagonal, kEigenvectors, kBacktransform}}},
    {"sytrd", {{kTridiagonal}}},
    {"hetrd", {{kTridiagonal}}},
    {"syev", {{kTridiagonal, kEigenvectors, kBacktransform}}},
    {"heev", {{kTridiagonal, kEigenvectors, kBacktransform}}},
    {"sygv", {{kTridiagonal, kEigenvectors, kBacktransform}}},
    {"hegv", {{kTridiagonal, kEigenvectors, kBacktransform}}},
    {"", {{kTriangles}}},
};

const Family& FamilyOf(std::string_view routine) {
  return *std::find_if(
      std::begin(kFamilies), std::end(kFamilies),
      [&](const Family& family) { return routine.starts_with(family.prefix); });
}

// What the sweeps go over.
struct Matrix {
  DType dtype;
  double rows;
  double columns;
  double right_sides;
  double batch;
};

Matrix MatrixOf(const ComputingCall& call) {
  const int64_t side = std::max<int64_t>(1, call.n);
  return {
      .dtype = call.dtype == DType::kUnknown ? DType::kF32 : call.dtype,
      .rows = static_cast<double>(call.m > 0 ? call.m : side),
      .columns = static_cast<double>(call.k > 0 ? call.k : side),
      .right_sides = static_cast<double>(call.right_sides),
      .batch = static_cast<double>(std::max<int64_t>(1, call.batch)),
  };
}

double BytesPerElement(const Matrix& matrix) {
  return opmodel::BitsOf(matrix.dtype) / 8.0;
}

// Up to 64 columns; more of a large matrix, so that its panels stay countable.
constexpr double kPanelColumns = 64;
constexpr double kMostPanels = 64;

Error LaunchProduct(void* stream, const Matrix& matrix, double rows,
                    double columns, double depth, double share) {
  Operation op;
  op.kind = OpKind::kGemm;
  op.storage = op.math = matrix.dtype;
  op[Dim::kM] = std::llround(rows);
  op[Dim::kN] = std::llround(columns);
  op[Dim::kK] = std::llround(depth);
  op[Dim::kBatch] = 1;
  const auto time = opmodel::TimeOf(op, GpuOfStream(stream));
  if (!time) return Error::kSuccess;
  const double blocks = std::ceil(rows / 64) * std::ceil(columns / 64);
  return LaunchLibraryKernel(stream,
                             {.name = TypedName(kUpdate, matrix.dtype),
                              .grid = {static_cast<uint32_t>(blocks), 1, 1},
                              .duration_ns = std::llround(time->ns * share)});
}

Error LaunchSweep(void* stream, const Matrix& matrix, const Sweep& sweep) {
  const double columns = std::min(matrix.rows, matrix.columns);
  const double width =
      std::max(kPanelColumns, std::ceil(columns / kMostPanels));
  const char* name = TypedName(sweep.panel, matrix.dtype);
  for (double done = 0; done < columns; done += width) {
    const double panel = std::min(width, columns - done);
    const double rows = matrix.rows - done;
    const double rest = std::max(matrix.columns, matrix.right_sides) - done;
    const double bytes = BytesPerElement(matrix) *
                         (2 * rows * panel + sweep.reads * panel * rows * rest);
    Error error = LaunchStreaming(stream, name, bytes, panel * sweep.column_ns);
    if (error == Error::kSuccess && rest > panel && sweep.products > 0) {
      error = LaunchProduct(stream, matrix, std::max(1.0, rows - panel),
                            rest - panel, panel, sweep.products);
    }
    if (error != Error::kSuccess) return error;
  }
  return Error::kSuccess;
}

// Small matrices, each in a thread block of its own.
Error LaunchBatch(void* stream, const Matrix& matrix, const Sweep& sweep) {
  const double sms = GpuOfStream(stream).sms;
  const double turns = std::ceil(matrix.batch / sms);
  const double columns = std::min(matrix.rows, matrix.columns);
  const double bytes = BytesPerElement(matrix) * matrix.batch *
                       (2 + sweep.reads * columns) * matrix.rows *
                       matrix.columns;
  return LaunchStreaming(stream, TypedName(sweep.panel, matrix.dtype), bytes,
                         turns * columns * sweep.column_ns);
}

struct Handle {
  void* stream = nullptr;
};

Handle* AsHandle(void* handle) { return static_cast<Handle*>(handle); }

template <typename Vendors>
cusolverStatus_t Create(ApiFunction& function, Vendors* handle) {
  return RunEntry<CUSOLVER_STATUS_NOT_INITIALIZED>(function, [&] {
    if (handle == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    *handle = reinterpret_cast<Vendors>(new Handle);
    return CUSOLVER_STATUS_SUCCESS;
  });
}

template <typename Body>
cusolverStatus_t WithHandle(ApiFunction& function, void* handle, Body&& body) {
  return RunEntry<CUSOLVER_STATUS_NOT_INITIALIZED>(function, [&] {
    if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
    body(AsHandle(handle));
    return CUSOLVER_STATUS_SUCCESS;
  });
}

}  // namespace

int RunCusolver(void* handle, const ComputingCall& call) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (call.m < 0 || call.n < 0) return CUSOLVER_STATUS_INVALID_VALUE;
  if (call.n == 0) return CUSOLVER_STATUS_SUCCESS;
  void* stream = AsHandle(handle)->stream;
  const Matrix matrix = MatrixOf(call);
  for (const Sweep& sweep : FamilyOf(call.routine).sweeps) {
    if (sweep.panel == nullptr) break;
    const Error error = call.batch > 0 ? LaunchBatch(stream, matrix, sweep)
                                       : LaunchSweep(stream, matrix, sweep);
    if (error != Error::kSuccess) return CUSOLVER_STATUS_EXECUTION_FAILED;
  }
  return CUSOLVER_STATUS_SUCCESS;
}

#define SIM_HANDLE(KIND)                                                       \
  SIMGPU_API cusolverStatus_t cusolver##KIND##Create(                          \
      cusolver##KIND##Handle_t* handle) {                                      \
    return Create(FunctionOf<"cusolver", "cusolver" #KIND "Create">(),         \
                  handle);                                                     \
  }                                                                            \
  SIMGPU_API cusolverStatus_t cusolver##KIND##Destroy(                         \
      cusolver##KIND##Handle_t handle) {                                       \
    return WithHandle(FunctionOf<"cusolver", "cusolver" #KIND "Destroy">(),    \
                      handle, [](Handle* known) { delete known; });            \
  }                                                                            \
  SIMGPU_API cusolverStatus_t cusolver##KIND##SetStream(                       \
      cusolver##KIND##Handle_t handle, cudaStream_t stream) {                  \
    return WithHandle(FunctionOf<"cusolver", "cusolver" #KIND "SetStream">(),  \
                      handle, [&](Handle* known) { known->stream = stream; }); \
  }                                                                            \
  SIMGPU_API cusolverStatus_t cusolver##KIND##GetStream(                       \
      cusolver##KIND##Handle_t handle, cudaStream_t* stream) {                 \
    return WithHandle(FunctionOf<"cusolver", "cusolver" #KIND "GetStream">(),  \
                      handle, [&](Handle* known) {                             \
                        *stream = static_cast<cudaStream_t>(known->stream);    \
                      });                                                      \
  }
SIM_HANDLE(Dn)
SIM_HANDLE(Sp)
#undef SIM_HANDLE

SIMGPU_API cusolverStatus_t cusolverGetVersion(int* version) {
  return static_cast<cusolverStatus_t>(AnswerVersion(
      FunctionOf<"cusolver", "cusolverGetVersion">(), kVersion, version));
}

SIMGPU_API cusolverStatus_t cusolverGetProperty(libraryPropertyType type,
                                                int* value) {
  return static_cast<cusolverStatus_t>(AnswerProperty(
      FunctionOf<"cusolver", "cusolverGetProperty">(), kVersion, type, value));
}

}  // namespace dltap::simgpu
