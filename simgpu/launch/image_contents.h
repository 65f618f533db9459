// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_IMAGE_CONTENTS_H_
#define DLTAP_SIMGPU_LAUNCH_IMAGE_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simgpu/launch/kernel_parameter.h"

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

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_IMAGE_CONTENTS_H_
