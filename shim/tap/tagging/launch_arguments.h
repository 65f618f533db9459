// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_LAUNCH_ARGUMENTS_H_
#define DLTAP_SHIM_TAP_TAGGING_LAUNCH_ARGUMENTS_H_

#include <cstdint>

#include "abi_structs.h"
#include "opmodel/operation.h"
#include "shim/tap/tagging/pointer_map.h"

namespace dltap::shim::tagging {

// Kernels of frameworks whose arguments tell what they compute: by their names,
// to what their launches are asked. Another version's layout must tell nothing
// rather than something wrong, so that each reader checks what it reads.
class LaunchArguments {
 public:
  // A kernel was registered, or a handle given out, under that (mangled) name.
  void Named(const void* function, const char* name);
  // `function` runs the same code as `source`.
  void Alias(const void* function, const void* source);
  void Forget(const void* function);

  // Whether Read() may tell something. No lock.
  bool Has(const void* function) const {
    return layouts_.Find(reinterpret_cast<uint64_t>(function)) != 0;
  }
  // False: it is none, or nothing certain is told. `arguments` are those of a
  // launch that succeeded. No lock.
  bool Read(const void* function, const abi::dim3& grid,
            const void* const* arguments, opmodel::Operation* out) const;

 private:
  void Set(const void* function, uint64_t layout);

  PointerMap<2, 12> layouts_;  // a NamedLayout each
};

extern constinit LaunchArguments g_launch_arguments;

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_LAUNCH_ARGUMENTS_H_
