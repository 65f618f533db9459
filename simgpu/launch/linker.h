// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_LINKER_H_
#define DLTAP_SIMGPU_LAUNCH_LINKER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "simgpu/base/error.h"
#include "simgpu/base/handle.h"
#include "simgpu/launch/image.h"

namespace dltap::simgpu {

// A CUlinkState: what was added, and after CompleteLink() the image of it all.
struct Linker : Handle {
  static constexpr uint32_t kTag = 0x4c494e4b;  // "LINK"
  Linker() : Handle(kTag) { contents.complete = true; }

  ImageContents contents;
  std::vector<char> image;
  // Sizes of the log buffers, where the client asked for them: the linker has
  // nothing to say and writes 0.
  std::vector<void**> log_sizes;
};

// Adds the names of a cubin, fat binary or PTX. Objects and libraries, whose
// insides are not documented, add none: a name that is not found is taken to
// exist later (module.h).
Error AddToLink(Linker& linker, const void* data, size_t bytes,
                bool must_be_image);
void CompleteLink(Linker& linker);

// A cubin, as far as ReadImage() looks: an ELF file that names kernels and
// variables, without code in it.
std::vector<char> MakeCubin(const ImageContents& contents);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_LINKER_H_
