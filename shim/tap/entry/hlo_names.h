// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_HLO_NAMES_H_
#define DLTAP_SHIM_TAP_ENTRY_HLO_NAMES_H_

#include <cstdint>

namespace dltap::shim::nvtx {

// What a dump of HLO of `length` bytes says of where its instructions come
// from, as it stands there: op_name="jit(step)/transpose(jvp())/mul", each
// once, a line each. At `out`, at most `capacity` bytes; a last line of "..."
// says that others follow, which did not fit. Returns the bytes; 0: it has
// none. Source: openxla/xla, OpMetadataToString of
// xla/hlo/ir/hlo_op_metadata.cc.
uint32_t CopyOperationNames(const char* dump, uint32_t length, char* out,
                            uint32_t capacity);

}  // namespace dltap::shim::nvtx

#endif  // DLTAP_SHIM_TAP_ENTRY_HLO_NAMES_H_
