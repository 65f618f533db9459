// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_MAPPED_TEXT_H_
#define DLTAP_SHIM_TAP_TAGGING_MAPPED_TEXT_H_

#include <cstdint>

namespace dltap::shim::tagging {

// Copies a text of which nobody knows whether its memory is still there, cut to
// `bytes` with its zero. False when it is not. By a system call: for the
// collector.
bool CopyTextIfMapped(const char* from, char* copy, uint32_t bytes);

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_MAPPED_TEXT_H_
