// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_CALL_SITES_H_
#define DLTAP_SHIM_TAP_ENTRY_CALL_SITES_H_

namespace dltap::shim {

// Real functions by the place that calls them, for functions of which a process
// holds several: what the loader's binding of that caller would be.

// nullptr: not known yet. No lock.
void* FindForCallSite(const void* caller, int counter_index);

// Both under the loader's lock.
void KeepForCallSite(const void* caller, int counter_index, void* real);
void ForgetCallSites();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_CALL_SITES_H_
