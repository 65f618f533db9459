// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_FRAMEWORK_VERSIONS_H_
#define DLTAP_SHIM_TAP_ENTRY_FRAMEWORK_VERSIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>

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

struct FrameworkSearch {
  FrameworkVersions found;
  uint64_t loads;  // LoadsSoFar(), when the map was last read
};

// Adds to `search` which frameworks this process runs code of, by
// /proc/self/maps, and which versions their packages' folders tell. What was
// found before stays, and is not looked for again: files may be gone or out of
// reach by then. While nothing was loaded, nothing is read. Reads files: on the
// collector only.
void FindFrameworks(FrameworkSearch* search);

// The version that the folder of installed packages tells of `distribution`:
// "2.11.0" of torch-2.11.0.dist-info, also for torch_gpu and torch_cu126.
// False: `entry` is not its folder.
bool ReadVersion(const char* entry, const char* distribution, char* out,
                 size_t capacity);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_FRAMEWORK_VERSIONS_H_
