// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_CAUSE_COLUMNS_H_
#define DLTAP_ANALYZER_EXPORTERS_CAUSE_COLUMNS_H_

#include <array>
#include <string_view>

#include "analyzer/metrics/idle/gap.h"

namespace dltap::analyzer {

// What tables call the causes of idle time, in the order of IdleTimes.
inline constexpr std::array<std::string_view, kIdleCauses> kCauseColumns = {
    "wait_ns",      "input_ns",      "library_ns", "launch_ns",
    "framework_ns", "preempted_ns",  "blocked_ns", "unknown_ns",
    "profiler_ns",  "dependency_ns", "latency_ns"};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_CAUSE_COLUMNS_H_
