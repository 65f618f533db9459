// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "shim/simgpu/device/library_entry.h"

// cuSPARSE's header comes only with its big wheel: prototypes by its public
// documentation. A sparse matrix remembers its sizes, which host code reads
// back.

namespace dltap::simgpu {
namespace {

enum Result : int { kSuccess = 0, kNotInitialized = 1, kInvalidValue = 3 };

struct SparseMatrix {
  int64_t rows;
  int64_t columns;
  int64_t nonzeros;
};

Result Create(ApiFunction& function, SparseMatrix** matrix,
              const SparseMatrix& sizes) {
  return RunEntry<kNotInitialized>(function, [&] {
    if (matrix == nullptr) return kInvalidValue;
    *matrix = new SparseMatrix(sizes);
    return kSuccess;
  });
}

}  // namespace

SIMGPU_API int cusparseCreateCsr(SparseMatrix** matrix, int64_t rows,
                                 int64_t columns, int64_t nonzeros, void*,
                                 void*, void*, int, int, int, int) {
  return Create(FunctionOf<"cusparse", "cusparseCreateCsr">(), matrix,
                {rows, columns, nonzeros});
}

SIMGPU_API int cusparseCreateCoo(SparseMatrix** matrix, int64_t rows,
                                 int64_t columns, int64_t nonzeros, void*,
                                 void*, void*, int, int, int) {
  return Create(FunctionOf<"cusparse", "cusparseCreateCoo">(), matrix,
                {rows, columns, nonzeros});
}

SIMGPU_API int cusparseDestroySpMat(SparseMatrix* matrix) {
  return RunEntry<kNotInitialized>(
      FunctionOf<"cusparse", "cusparseDestroySpMat">(), [&] {
        delete matrix;
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

}  // namespace dltap::simgpu
