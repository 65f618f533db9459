// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_IMAGE_H_
#define DLTAP_SIMGPU_LAUNCH_IMAGE_H_

#include <cstddef>
#include <optional>

#include "simgpu/launch/image_contents.h"

namespace dltap::simgpu {

// Names in a loadable image: section and symbol tables of a cubin (ELF), .entry
// directives of PTX, with their parameters, and its variables. The inside of a
// fat binary is not documented: no names. nullopt: not an image. `limit` bounds
// the reads where the caller knows the size; driver calls pass none, and the
// image's own sizes are trusted then.
std::optional<ImageContents> ReadImage(const void* image, size_t limit);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_IMAGE_H_
