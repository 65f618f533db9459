// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_LIBC_VARIABLE_H_
#define DLTAP_SHIM_TAP_ENTRY_LIBC_VARIABLE_H_

#include <cstdint>

namespace dltap::shim {

// A variable of the C library's, of that size; nullptr: it has none of that
// name and size. Takes no lock.
void* FindVariableInLibc(const char* symbol, uint64_t bytes);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_LIBC_VARIABLE_H_
