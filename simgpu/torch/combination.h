// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_COMBINATION_H_
#define DLTAP_SIMGPU_TORCH_COMBINATION_H_

#include <cstdint>
#include <string_view>

namespace dltap::simgpu {

// How scatters and index_reduce put what they bring together with what is
// there: PyTorch's ReduceAdd, ReduceMaximum, ... A NaN wins.
struct Combination {
  std::string_view functor;
  double (*real)(double old, double value);
  int64_t (*integer)(int64_t old, int64_t value);
};

// By the functor that a kernel's name holds; nullptr: none of these.
const Combination* FindCombination(std::string_view name);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_COMBINATION_H_
