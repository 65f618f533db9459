// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cublas/vector_kernels.h"

#include <algorithm>
#include <cmath>

#include "opmodel/streaming_time.h"
#include "simgpu/base/typed_name.h"
#include "simgpu/cublas/blas_handle.h"
#include "simgpu/launch/library_call.h"

namespace dltap::simgpu {
namespace {

using opmodel::DType;

// What a family touches: vectors of n, or a matrix of m x n (n x n).
enum class Extent { kVector, kMatrix };

struct VectorRow {
  std::string_view prefix;  // of the routine's name; the first row that fits
  Extent extent;
  double passes;       // how often each element is read or written
  const char* kernel;  // $T: element type
  const char* second;  // of reductions over many blocks; may be null
};

constexpr char kBlockSum[] =
    "void reduce_1Block_kernel<$T, 128, 7, cublasGemvTensorStridedBatched<$T>, "
    "cublasGemvTensorStridedBatched<$T>, cublasGemvTensorStridedBatched<$T> >"
    "($T const*, $T, cublasGemvTensorStridedBatched<$T>, int)";

constexpr VectorRow kRows[] = {
    {"dot", Extent::kVector, 2,
     "void dot_kernel<$T, 128, 0, "
     "cublasDotParams<cublasGemvTensorStridedBatched"
     "<$T const>, cublasGemvTensorStridedBatched<$T> > >(cublasDotParams<"
     "cublasGemvTensorStridedBatched<$T const>, "
     "cublasGemvTensorStridedBatched<$T> >)",
     kBlockSum},
    {"nrm2", Extent::kVector, 1,
     "void nrm2_kernel<$T, $T, $T, 1, 0, 128, 0>(cublasNrm2Params<$T, $T>)",
     nullptr},
    {"asum", Extent::kVector, 1,
     "void asum_kernel<$T, $T, 0>(cublasAsumParams<$T, $T>)", kBlockSum},
    {"amax", Extent::kVector, 1,
     "void iamax_kernel<$T, $T, 256, false>(cublasIamaxParams<$T, $T>)",
     nullptr},
    {"amin", Extent::kVector, 1,
     "void iamin_kernel<$T, $T, 256, false>(cublasIaminParams<$T, $T>)",
     nullptr},
    {"axpy", Extent::kVector, 3,
     "void axpy_kernel_val<$T, $T>(cublasAxpyParamsVal<$T, $T, $T>)", nullptr},
    {"scal", Extent::kVector, 2,
     "void scal_kernel<$T, $T, 1, true, 6, 5, 5, 3>(cublasTransposeParams<$T>, "
     "$T const*, $T*, $T const*)",
     nullptr},
    {"copy", Extent::kVector, 2, "void copy_kernel<$T>(cublasCopyParams<$T>)",
     nullptr},
    {"swap", Extent::kVector, 4, "void swap_kernel<$T>(cublasSwapParams<$T>)",
     nullptr},
    {"rot", Extent::kVector, 4, "void rot_kernel<$T, $T>(cublasRotParams<$T>)",
     nullptr},
    {"gemv", Extent::kMatrix, 1,
     "void gemv2T_kernel_val<int, int, $T, $T, $T, $T, 128, 16, 4, 4, false, "
     "true, cublasGemvParams<cublasGemvTensorStridedBatched<$T const>, "
     "cublasGemvTensorStridedBatched<$T const>, "
     "cublasGemvTensorStridedBatched<$T>, $T> >(cublasGemvParams<"
     "cublasGemvTensorStridedBatched<$T const>, "
     "cublasGemvTensorStridedBatched<$T const>, "
     "cublasGemvTensorStridedBatched<$T>, $T>, $T, $T)",
     nullptr},
    {"ger", Extent::kMatrix, 2,
     "void ger_kernel<$T, $T, 256, 5, false>(cublasGerParams<$T, $T>)",
     nullptr},
    {"geam", Extent::kMatrix, 2,
     "void geam_kernel<$T, $T, 32, 8>(cublasGeamParams<$T>)", nullptr},
    {"dgmm", Extent::kMatrix, 2, "void dgmm_kernel<$T>(cublasDgmmParams<$T>)",
     nullptr},
    {"getrf", Extent::kMatrix, 4,
     "void getrf_kernel_batched<$T, 32>(cublasGetrfParams<$T>)", nullptr},
    {"getrs", Extent::kMatrix, 4,
     "void getrs_kernel_batched<$T, 32>(cublasGetrsParams<$T>)", nullptr},
    {"getri", Extent::kMatrix, 4,
     "void getri_kernel_batched<$T, 32>(cublasGetriParams<$T>)", nullptr},
    {"matinv", Extent::kMatrix, 4,
     "void matinv_kernel_batched<$T, 32>(cublasMatinvParams<$T>)", nullptr},
    {"geqrf", Extent::kMatrix, 4,
     "void geqrf_kernel_batched<$T, 32>(cublasGeqrfParams<$T>)", nullptr},
    {"gels", Extent::kMatrix, 6,
     "void gels_kernel_batched<$T, 32>(cublasGelsParams<$T>)", nullptr},
    {"", Extent::kMatrix, 1,
     "void cublas::blas2_kernel<$T, 128>(cublasBlas2Params<$T>)", nullptr},
};

const VectorRow& RowOf(std::string_view routine) {
  return *std::find_if(
      std::begin(kRows), std::end(kRows), [&](const VectorRow& row) {
        return routine.substr(0, row.prefix.size()) == row.prefix;
      });
}

double ElementsOf(const BlasArguments& arguments, Extent extent) {
  const double n = static_cast<double>(arguments.n);
  const double batch = static_cast<double>(arguments.batch);
  if (extent == Extent::kVector) return n * batch;
  const double m = arguments.m > 0 ? static_cast<double>(arguments.m) : n;
  return (m * n + m * static_cast<double>(arguments.right_sides)) * batch;
}

LibraryKernel KernelOf(const char* pattern, DType type, double elements,
                       double bytes, const opmodel::GpuSpec& gpu) {
  const double blocks = std::clamp(std::ceil(elements / 1024), 1.0, 65535.0);
  return {.name = TypedName(pattern, type),
          .grid = {static_cast<uint32_t>(blocks), 1, 1},
          .block = {128, 1, 1},
          .registers_per_thread = 40,
          .duration_ns = std::llround(opmodel::StreamingTime(bytes, gpu).ns),
          .effect = {}};
}

}  // namespace

Error LaunchVectorKernels(const cublasContext& handle,
                          const BlasArguments& arguments) {
  const VectorRow& row = RowOf(arguments.routine);
  const double elements = ElementsOf(arguments, row.extent);
  if (elements <= 0) return Error::kSuccess;
  const DType type =
      arguments.dtype == DType::kUnknown ? DType::kF32 : arguments.dtype;
  const double bytes = elements * row.passes * opmodel::BitsOf(type) / 8;
  const opmodel::GpuSpec& gpu = GpuOfStream(handle.stream);
  const Error error = LaunchLibraryKernel(
      handle.stream, KernelOf(row.kernel, type, elements, bytes, gpu));
  if (error != Error::kSuccess || row.second == nullptr) return error;
  return LaunchLibraryKernel(handle.stream,
                             KernelOf(row.second, type, 1, 4096, gpu));
}

}  // namespace dltap::simgpu
