// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_FUNCTOR_H_
#define DLTAP_SIMGPU_TORCH_FUNCTOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "simgpu/torch/scalar_type.h"

namespace dltap::simgpu {

// What computes one element: inputs first, then what the functor captured.
constexpr size_t kMaxValues = 8;
using RealOperation = double (*)(const double* values);
using IntegerOperation = int64_t (*)(const int64_t* values);

// One of PyTorch's elementwise functors or lambdas, by its name. Of one that is
// not in the table only the types are known, as far as the name tells them.
struct Functor {
  struct Capture {
    ScalarType type;
    size_t offset;    // in the object
    int value_index;  // where the operation wants it
  };

  std::vector<ScalarType> inputs;
  std::vector<int> input_indices;  // where the operation wants them
  std::vector<Capture> captures;
  ScalarType result = ScalarType::kUnknown;
  bool real = false;      // computes in double
  bool identity = false;  // the result is the only input
  RealOperation real_operation = nullptr;
  IntegerOperation integer_operation = nullptr;
  size_t bytes = 1;  // of the object
  size_t alignment = 1;
  bool counts_inputs = true;  // the name tells how many there are

  bool IsComputed() const {
    return real ? real_operation != nullptr : integer_operation != nullptr;
  }
};

// From a demangled name ("at::native::FillFunctor<float>"). `inputs`: how many
// it has where its name does not say.
Functor FindFunctor(std::string_view name, size_t inputs = 1);

// A row of the table of functors (functor_table.cc).
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

  std::string_view name;  // of the template, or of the function round a lambda
  int inputs;
  // T: the functor's type, o: the one PyTorch computes T in, i: int.
  std::string_view captures;
  Result result;
  RealOperation real;
  IntegerOperation integer;  // null: not for integers
};

const FunctorRow* FindFunctorRow(std::string_view name);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_FUNCTOR_H_
