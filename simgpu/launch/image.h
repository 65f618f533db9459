// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_IMAGE_H_
#define DLTAP_SIMGPU_LAUNCH_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simgpu/launch/kernel.h"

namespace dltap::simgpu {

struct ImageKernel {
  std::string name;
  uint32_t static_shared_bytes = 0;
  bool parameters_known = false;
  std::vector<KernelParameter> parameters{};
};

struct ImageVariable {
  std::string name;
  size_t bytes = 0;
};

struct ImageContents {
  std::vector<ImageKernel> kernels;
  std::vector<ImageVariable> variables;
  // All names are here: others do not exist.
  bool complete = false;
  bool compiled = false;  // PTX, which the driver compiles
  size_t bytes = 0;       // of the image; 0: unknown
};

// Names in a loadable image: section and symbol tables of a cubin (ELF), .entry
// directives of PTX, with their parameters, and its variables. The inside of a
// fat binary is not documented: no names. nullopt: not an image. `limit` bounds
// the reads where the caller knows the size; driver calls pass none, and the
// image's own sizes are trusted then.
std::optional<ImageContents> ReadImage(const void* image, size_t limit);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_IMAGE_H_
