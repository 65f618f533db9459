// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_LIBRARY_VERSIONS_H_
#define DLTAP_SHIM_TAP_ENTRY_LIBRARY_VERSIONS_H_

namespace dltap::shim {

// The collector writes the versions of the vendor's libraries, and of the
// frameworks that use them, into the trace, and again when more are loaded. At
// load, once.
void CollectLibraryVersions();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_LIBRARY_VERSIONS_H_
