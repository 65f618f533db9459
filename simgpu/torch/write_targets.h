// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_WRITE_TARGETS_H_
#define DLTAP_SIMGPU_TORCH_WRITE_TARGETS_H_

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "simgpu/launch/kernel_meaning.h"

namespace dltap::simgpu {

// Where a kernel may write that is known by its name alone: wherever one of its
// arguments points, unless to constant memory. An argument that is neither a
// pointer nor a number (a functor, a table of tensors) is searched for
// addresses in device memory.
class WriteTargets {
 public:
  explicit WriteTargets(std::string_view kernel);

  // nullopt: the name does not tell the parameters; anywhere.
  std::optional<std::vector<const void*>> Of(const LaunchView& launch) const;

 private:
  // How many bytes of each parameter hold addresses to write to: none, a
  // pointer, or an object that is as large at most.
  std::vector<size_t> parameters_;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_WRITE_TARGETS_H_
