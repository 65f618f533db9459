// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_NCCL_UNIQUE_ID_H_
#define DLTAP_SHIM_TAP_TAGGING_NCCL_UNIQUE_ID_H_

#include <cstdint>

#include "abi_structs.h"

// What a hook is: shim/tap/entry/hook_call.h.
namespace dltap::shim::hooks {

// Packs `clique`: a hash of the unique id, which all ranks of a communicator
// pass and no others. Never 0.
struct NcclUniqueId {
  static void Pack(uint8_t* at, const abi::ncclUniqueId& id);
};

// The same of the first of several.
struct NcclUniqueIds {
  static void Pack(uint8_t* at, const void* ids);
};

}  // namespace dltap::shim::hooks

#endif  // DLTAP_SHIM_TAP_TAGGING_NCCL_UNIQUE_ID_H_
