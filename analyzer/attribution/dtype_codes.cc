// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/dtype_codes.h"

#include <span>

namespace dltap::analyzer {
namespace {

using opmodel::DType;

struct NameRow {
  std::string_view name;
  DType type;
};
constexpr NameRow kNames[] = {
    {"f64", DType::kF64},       {"f32", DType::kF32},
    {"tf32", DType::kTf32},     {"f16", DType::kF16},
    {"bf16", DType::kBf16},     {"f8e4m3", DType::kF8E4M3},
    {"f8e5m2", DType::kF8E5M2}, {"i8", DType::kI8},
    {"i32", DType::kI32},       {"i64", DType::kI64},
    {"u8", DType::kU8},         {"c64", DType::kC64},
    {"c128", DType::kC128},
};

struct CodeRow {
  int64_t code;
  DType type;
};

// cudaDataType_t, library_types.h.
constexpr CodeRow kCudaTypes[] = {
    {0, DType::kF32},     {1, DType::kF64},     {2, DType::kF16},
    {3, DType::kI8},      {4, DType::kC64},     {5, DType::kC128},
    {8, DType::kU8},      {10, DType::kI32},    {14, DType::kBf16},
    {24, DType::kI64},    {28, DType::kF8E4M3}, {29, DType::kF8E5M2},
    {33, DType::kF4E2M1},
};

// cudnnDataType_t, cudnn_graph.h.
constexpr CodeRow kCudnnTypes[] = {
    {0, DType::kF32},     {1, DType::kF64},     {2, DType::kF16},
    {3, DType::kI8},      {4, DType::kI32},     {6, DType::kU8},
    {9, DType::kBf16},    {10, DType::kI64},    {11, DType::kBool},
    {12, DType::kF8E4M3}, {13, DType::kF8E5M2},
};

// ncclDataType_t, nccl.h.
constexpr CodeRow kNcclTypes[] = {
    {0, DType::kI8},      {1, DType::kU8},   {2, DType::kI32},
    {4, DType::kI64},     {6, DType::kF16},  {7, DType::kF32},
    {8, DType::kF64},     {9, DType::kBf16}, {10, DType::kF8E4M3},
    {11, DType::kF8E5M2},
};

// cublasComputeType_t, cublas_api.h.
constexpr CodeRow kComputeTypes[] = {
    {64, DType::kF16},  {65, DType::kF16}, {68, DType::kF32},
    {69, DType::kF32},  {74, DType::kF16}, {75, DType::kBf16},
    {77, DType::kTf32}, {70, DType::kF64}, {71, DType::kF64},
    {72, DType::kI32},  {73, DType::kI32},
};

DType Find(std::span<const CodeRow> rows, int64_t code) {
  for (const CodeRow& row : rows) {
    if (row.code == code) return row.type;
  }
  return DType::kUnknown;
}

}  // namespace

DType DTypeOfSpecName(std::string_view name) {
  for (const NameRow& row : kNames) {
    if (row.name == name) return row.type;
  }
  return DType::kUnknown;
}

DType DTypeOfDataCode(specs::Library library, int64_t code) {
  switch (library) {
    case specs::Library::kCudnn: return Find(kCudnnTypes, code);
    case specs::Library::kNccl: return Find(kNcclTypes, code);
    default: return Find(kCudaTypes, code);
  }
}

DType DTypeOfComputeCode(specs::Library library, int64_t code) {
  switch (library) {
    case specs::Library::kCublas:
    case specs::Library::kCublaslt: {
      const DType type = Find(kComputeTypes, code);
      // The older interface passes a cudaDataType_t in the same place.
      return type != DType::kUnknown ? type : Find(kCudaTypes, code);
    }
    default: return DTypeOfDataCode(library, code);
  }
}

DType MathOf(DType storage, DType asked) {
  // Narrow inputs are multiplied as they are and added up in `asked`.
  if (opmodel::BitsOf(storage) != 0 && opmodel::BitsOf(storage) < 32) {
    return storage;
  }
  return asked == DType::kUnknown ? storage : asked;
}

}  // namespace dltap::analyzer
