// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_FUNCTOR_TABLE_H_
#define DLTAP_SIMGPU_TORCH_FUNCTOR_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dltap::simgpu {

// What computes one element: inputs first, then what the functor captured.
constexpr size_t kMaxValues = 8;
using RealOperation = double (*)(const double* values);
using IntegerOperation = int64_t (*)(const int64_t* values);

// A row of the table of functors.
struct FunctorRow {
  // kArgument: the second argument of the template.
  enum class Result : uint8_t {
    kSame,
    kBool,
    kFloat16,
    kBfloat16,
    kFloat32,
    kArgument
  };

  // Of the template, or of the function round a lambda; "#2": its second one.
  std::string_view name;
  int inputs;
  // T: the functor's type, o: the one PyTorch computes T in, i: int, a: the one
  // it sums T up in; "=": of a lambda [=], nothing.
  std::string_view captures;
  Result result;
  RealOperation real;
  IntegerOperation integer;  // null: not for integers
};

const FunctorRow* FindFunctorRow(std::string_view name);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_FUNCTOR_TABLE_H_
