// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>

#include "simgpu/base/library_entry.h"
#include "simgpu/rest/version_query.h"

// cuSPARSE's header comes only with its big wheel: prototypes by its public
// documentation. A sparse matrix remembers its sizes, which host code reads
// back.

namespace dltap::simgpu {
namespace {

enum Result : int { kSuccess = 0, kNotInitialized = 1, kInvalidValue = 3 };

// cusparse.h of CUDA 13.0.
constexpr LibraryVersion kVersion{12, 6, 3, kInvalidValue};

// Formats with a default body give 64 zero bytes (AllocateDefaultHandle), which
// serve as a matrix without elements.
struct SparseMatrix {
  int64_t rows;
  int64_t columns;
  int64_t nonzeros;
};

Result Create(ApiFunction& function, SparseMatrix** matrix,
              const SparseMatrix& sizes) {
  return RunEntry<kNotInitialized>(function, [&] {
    if (matrix == nullptr) return kInvalidValue;
    *matrix = static_cast<SparseMatrix*>(std::calloc(1, sizeof(sizes)));
    **matrix = sizes;
    return kSuccess;
  });
}

}  // namespace

#define SIM_CREATE(FORMAT, ...)                                               \
  SIMGPU_API int cusparseCreate##FORMAT(SparseMatrix** matrix, int64_t rows,  \
                                        int64_t columns, int64_t nonzeros,    \
                                        void*, void*, void*, __VA_ARGS__) {   \
    return Create(FunctionOf<"cusparse", "cusparseCreate" #FORMAT>(), matrix, \
                  {rows, columns, nonzeros});                                 \
  }
SIM_CREATE(Csr, int, int, int, int)
SIM_CREATE(Csc, int, int, int, int)
SIM_CREATE(Coo, int, int, int)
SIM_CREATE(ConstCsr, int, int, int, int)
SIM_CREATE(ConstCsc, int, int, int, int)
SIM_CREATE(ConstCoo, int, int, int)
#undef SIM_CREATE

SIMGPU_API int cusparseDestroySpMat(SparseMatrix* matrix) {
  return RunEntry<kNotInitialized>(
      FunctionOf<"cusparse", "cusparseDestroySpMat">(), [&] {
        std::free(matrix);
        return kSuccess;
      });
}

SIMGPU_API int cusparseSpMatGetSize(const SparseMatrix* matrix, int64_t* rows,
                                    int64_t* columns, int64_t* nonzeros) {
  return RunEntry<kNotInitialized>(
      FunctionOf<"cusparse", "cusparseSpMatGetSize">(), [&] {
        if (matrix == nullptr || rows == nullptr || columns == nullptr ||
            nonzeros == nullptr) {
          return kInvalidValue;
        }
        *rows = matrix->rows;
        *columns = matrix->columns;
        *nonzeros = matrix->nonzeros;
        return kSuccess;
      });
}

SIMGPU_API int cusparseGetVersion(void*, int* version) {
  return AnswerVersion(FunctionOf<"cusparse", "cusparseGetVersion">(), kVersion,
                       version);
}

SIMGPU_API int cusparseGetProperty(int type, int* value) {
  return AnswerProperty(FunctionOf<"cusparse", "cusparseGetProperty">(),
                        kVersion, type, value);
}

}  // namespace dltap::simgpu
