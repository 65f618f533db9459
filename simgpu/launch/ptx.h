// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_PTX_H_
#define DLTAP_SIMGPU_LAUNCH_PTX_H_

#include <string_view>

#include "simgpu/launch/image_contents.h"

namespace dltap::simgpu {

// Kernels with their parameters, and variables of the module, in PTX text
// (PTX ISA, "Directives"). Text without a kernel counts as incomplete: what
// the simulated NVRTC makes.
ImageContents ReadPtx(std::string_view text);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_PTX_H_
