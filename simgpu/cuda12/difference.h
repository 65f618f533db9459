// SPDX-License-Identifier: Apache-2.0
// What the generated cuda12/LIB.h is written in.
#ifndef DLTAP_SIMGPU_CUDA12_DIFFERENCE_H_
#define DLTAP_SIMGPU_CUDA12_DIFFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "simgpu/base/api_function.h"
#include "simgpu/base/api_scope.h"

namespace dltap::simgpu::cuda12 {

// CUPTI's id of a function in CUDA 12.
struct CbidRow {
  std::string_view symbol;
  uint32_t cbid;
};

// Compiles only for functions of the list. 0: CUPTI has no id for it.
consteval uint32_t CbidIn(std::span<const CbidRow> rows,
                          std::string_view symbol) {
  for (const CbidRow& row : rows) {
    if (row.symbol == symbol) return row.cbid;
  }
  throw "not a function that CUDA 12 has otherwise";
}

// A function as CUDA 12 has it.
template <ApiName kLibrary, ApiName kSymbol, uint32_t kCbid>
ApiFunction& FunctionOf12() {
  static constinit ApiFunction function{
      kLibrary.text, kSymbol.text, ApiDomain::kRuntime, BodyKind::kReal, kCbid};
  return function;
}

// Where a field of a structure lies in CUDA 12 and in CUDA 13.
struct FieldPlace {
  size_t offset;
  size_t offset_13;
  size_t bytes;
};

// Of a structure (CUDA 13's type) with another layout in CUDA 12: kBytes there,
// kFields.
template <typename Struct>
struct Layout;

// A program's structure of CUDA 12, turned into one of CUDA 13 for the length
// of a call. What the call wrote goes back at the end, unless it is const.
template <typename Struct>
class Converted {
 public:
  explicit Converted(const Struct* cuda12) : Converted(cuda12, nullptr) {}
  explicit Converted(Struct* cuda12) : Converted(cuda12, cuda12) {}
  ~Converted() {
    if (target_ == nullptr) return;
    for (const FieldPlace& field : Layout<Struct>::kFields) {
      std::memcpy(target_ + field.offset, bytes_ + field.offset_13,
                  field.bytes);
    }
  }
  Converted(const Converted&) = delete;
  Converted& operator=(const Converted&) = delete;

  Struct* get() {
    return is_null_ ? nullptr : reinterpret_cast<Struct*>(bytes_);
  }

 private:
  Converted(const void* source, void* target)
      : is_null_(source == nullptr), target_(static_cast<std::byte*>(target)) {
    if (is_null_) return;
    for (const FieldPlace& field : Layout<Struct>::kFields) {
      std::memcpy(bytes_ + field.offset_13,
                  static_cast<const std::byte*>(source) + field.offset,
                  field.bytes);
    }
  }

  bool is_null_;
  std::byte* target_;
  alignas(Struct) std::byte bytes_[sizeof(Struct)] = {};
};

}  // namespace dltap::simgpu::cuda12

#endif  // DLTAP_SIMGPU_CUDA12_DIFFERENCE_H_
