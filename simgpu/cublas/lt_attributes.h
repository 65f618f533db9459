// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUBLAS_LT_ATTRIBUTES_H_
#define DLTAP_SIMGPU_CUBLAS_LT_ATTRIBUTES_H_

#include <cublasLt.h>

#include <cstddef>
#include <cstring>
#include <span>

namespace dltap::simgpu {

// Where an attribute lies in the state of its descriptor.
struct LtAttribute {
  int id;
  size_t offset;
  size_t bytes;
};

extern const std::span<const LtAttribute> kLayoutAttributes;
extern const std::span<const LtAttribute> kMatmulAttributes;
extern const std::span<const LtAttribute> kPreferenceAttributes;
extern const std::span<const LtAttribute> kTransformAttributes;

inline const LtAttribute* FindAttribute(std::span<const LtAttribute> table,
                                        int id) {
  for (const LtAttribute& row : table) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

inline cublasStatus_t SetLtAttribute(std::span<const LtAttribute> table,
                                     void* state, int id, const void* value,
                                     size_t bytes) {
  const LtAttribute* row = FindAttribute(table, id);
  if (row == nullptr || state == nullptr || value == nullptr ||
      bytes < row->bytes) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  std::memcpy(static_cast<char*>(state) + row->offset, value, row->bytes);
  return CUBLAS_STATUS_SUCCESS;
}

// With `bytes` 0 only the size is asked for.
inline cublasStatus_t GetLtAttribute(std::span<const LtAttribute> table,
                                     const void* state, int id, void* value,
                                     size_t bytes, size_t* written) {
  const LtAttribute* row = FindAttribute(table, id);
  if (row == nullptr || state == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (written != nullptr) *written = row->bytes;
  if (bytes == 0) {
    return written == nullptr ? CUBLAS_STATUS_INVALID_VALUE
                              : CUBLAS_STATUS_SUCCESS;
  }
  if (bytes < row->bytes || value == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  std::memcpy(value, static_cast<const char*>(state) + row->offset, row->bytes);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUBLAS_LT_ATTRIBUTES_H_
