// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_ATTENTION_KERNELS_H_
#define DLTAP_SHIM_TAP_TAGGING_ATTENTION_KERNELS_H_

#include <cstdint>

#include "abi_structs.h"
#include "opmodel/operation.h"
#include "shim/tap/tagging/pointer_map.h"

namespace dltap::shim::tagging {

// Attention that frameworks launch as kernels of their own. Neither its lengths
// nor, often, its mask is in a name or a grid: both lie in the structure that
// the kernel gets by value. Its layout follows from the name; what is read of
// it must agree with the grid, so that another version's layout tells nothing
// rather than something wrong.
class AttentionKernels {
 public:
  // A kernel was registered, or a handle given out, under that (mangled) name.
  void Named(const void* function, const char* name);
  // `function` runs the same code as `source`.
  void Alias(const void* function, const void* source);
  void Forget(const void* function);

  // Whether Read() may tell something. No lock.
  bool Has(const void* function) const {
    return kinds_.Find(reinterpret_cast<uint64_t>(function)) != 0;
  }
  // False: it is none, or nothing certain is told. `arguments` are those of a
  // launch that succeeded. No lock.
  bool Read(const void* function, const abi::dim3& grid,
            const void* const* arguments, opmodel::Operation* out) const;

 private:
  void Set(const void* function, uint64_t kind);

  PointerMap<2, 12> kinds_;  // how its arguments are read: see .cc
};

extern constinit AttentionKernels g_attention_kernels;

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_ATTENTION_KERNELS_H_
