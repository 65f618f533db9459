// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_ATTENTION_ARGUMENTS_H_
#define DLTAP_SHIM_TAP_TAGGING_ATTENTION_ARGUMENTS_H_

#include "abi_structs.h"
#include "opmodel/operation.h"
#include "shim/tap/tagging/named_layout.h"

namespace dltap::shim::tagging {

// FlashAttention 2 and memory-efficient attention. Neither their lengths nor,
// often, their mask is in a name or a grid: both lie in the structure that the
// kernel gets by value. Its layout follows from the name; what is read of it
// must agree with the grid.

// How a kernel of that mangled name is read; no reader: it is none of these.
NamedLayout AttentionOfName(const char* name);

// `named` is of AttentionOfName. False: nothing certain is told.
bool ReadAttention(const NamedLayout& named, const abi::dim3& grid,
                   const void* const* arguments, opmodel::Operation* out);

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_ATTENTION_ARGUMENTS_H_
