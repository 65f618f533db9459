// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_FRAMEWORK_VERSIONS_H_
#define DLTAP_SHIM_TAP_ENTRY_FRAMEWORK_VERSIONS_H_

#include <array>
#include <cstddef>

#include "shim/trace/frameworks.h"

namespace dltap::shim {

inline constexpr size_t kMaxVersionText = 48;

struct FrameworkVersion {
  bool is_loaded;
  char text[kMaxVersionText];  // "2.11.0+cu130"; empty: unknown
};

// One for each of trace::kFrameworks.
using FrameworkVersions =
    std::array<FrameworkVersion, trace::kFrameworks.size()>;

// Which frameworks this process has mapped, by /proc/self/maps, and which
// versions their packages' folders tell. Reads files: on the collector only.
void FindFrameworks(FrameworkVersions* out);

// The version that the folder of installed packages tells of `distribution`:
// "2.11.0" of torch-2.11.0.dist-info, also for torch_gpu and torch_cu126.
// False: `entry` is not its folder.
bool ReadVersion(const char* entry, const char* distribution, char* out,
                 size_t capacity);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_FRAMEWORK_VERSIONS_H_
