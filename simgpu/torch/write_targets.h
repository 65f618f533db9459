// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_WRITE_TARGETS_H_
#define DLTAP_SIMGPU_TORCH_WRITE_TARGETS_H_

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "simgpu/bytes/written_memory.h"
#include "simgpu/launch/kernel_meaning.h"

namespace dltap::simgpu {

// Where a kernel may write that is known by its name or by its image alone:
// wherever one of its arguments points, unless to constant memory. Tensors by
// value are searched for their addresses.
class WriteTargets {
 public:
  explicit WriteTargets(std::string_view kernel);

  // nullopt: anywhere. Nothing tells the parameters, or one is an
  // object of which nothing is known and that is not PyTorch's, or a list of
  // tensors whose decoder does not tell what it holds.
  std::optional<std::vector<WriteTarget>> Of(const LaunchView& launch,
                                             bool is_told) const;

 private:
  // How many bytes of each parameter hold addresses to write to: none, a
  // pointer, or an object that is as large at most.
  std::vector<size_t> parameters_;
  std::vector<NumberType> types_;  // what a pointer points to
  size_t addresses_ = 0;           // in all of them
  bool any_told_ = false;
  bool any_unknown_ = false;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_WRITE_TARGETS_H_
