// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_WINDOW_RANGE_H_
#define DLTAP_SHIM_TAP_ENTRY_WINDOW_RANGE_H_

#include <cstdint>

// DLTAP_RANGE=NAME: recording is on while at least one thread is in an NVTX
// range of that name. Pushed ranges nest per thread and domain; a range of that
// name inside another one opens nothing new. A forked child is in the ranges
// that its thread was in. Any thread.
namespace dltap::shim::nvtx {

// False unless DLTAP_RANGE is set: the rest need not be called.
bool HasWindowRange();
bool IsWindowRange(const char* text, uint32_t length);

// The first work of this process is about to start its session.
void EnterInheritedRanges();

// Before the push or start is recorded, after the pop or end is.
void WindowRangePushed(const void* domain, bool is_it);
void WindowRangePopped(const void* domain);
void WindowRangeStarted(uint64_t range_id);
void WindowRangeEnded(uint64_t range_id);

}  // namespace dltap::shim::nvtx

#endif  // DLTAP_SHIM_TAP_ENTRY_WINDOW_RANGE_H_
