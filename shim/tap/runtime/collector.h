// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_H_
#define DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_H_

#include <cstdint>

namespace dltap::shim {

inline constexpr uint64_t kPassPeriodNs = 100'000'000;

// Starts the thread `dltap`: it opens the session, prepares rings, drains them,
// writes the data file, takes samples, tells stderr. Everything that may block
// happens there, with all signals blocked. False: the system refused a thread.
// When no other thread is left it ends the process, as the last one would have.
bool StartCollector();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_H_
