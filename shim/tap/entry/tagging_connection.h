// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_TAGGING_CONNECTION_H_
#define DLTAP_SHIM_TAP_ENTRY_TAGGING_CONNECTION_H_

namespace dltap::shim {

// Gives tagging what it needs of the runtime, and lets it name the kernels that
// drained records launch. At load, once.
void ConnectTagging();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_TAGGING_CONNECTION_H_
