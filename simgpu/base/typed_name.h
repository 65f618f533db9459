// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_TYPED_NAME_H_
#define DLTAP_SIMGPU_BASE_TYPED_NAME_H_

#include <string_view>

#include "vocabulary.h"

namespace dltap::simgpu {

// A name of a kernel with the element type in place of $T. Lives for ever.
const char* TypedName(std::string_view pattern, specs::DType type);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_TYPED_NAME_H_
