// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_FUNCTOR_H_
#define DLTAP_SIMGPU_TORCH_FUNCTOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "simgpu/torch/functor_table.h"
#include "simgpu/torch/scalar_type.h"

namespace dltap::simgpu {

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

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_FUNCTOR_H_
