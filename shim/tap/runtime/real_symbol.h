// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_REAL_SYMBOL_H_
#define DLTAP_SHIM_TAP_RUNTIME_REAL_SYMBOL_H_

namespace dltap::shim {

// The vendor's function of that name, wrapped or not; never a wrapper. The
// entry part, which alone knows the loaded libraries, defines it.
void* FindReal(const char* symbol);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_REAL_SYMBOL_H_
