// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_H_
#define DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_H_

#include <cstdint>

namespace dltap::shim {

inline constexpr uint64_t kPassPeriodNs = 100'000'000;

// Starts the thread `dltap`: it prepares rings, drains them, writes the data
// file, takes samples. Everything that may block happens there, with all
// signals blocked. False: the system refused a thread.
bool StartCollector();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_H_
