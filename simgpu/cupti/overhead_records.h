// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_OVERHEAD_RECORDS_H_
#define DLTAP_SIMGPU_CUPTI_OVERHEAD_RECORDS_H_

#include <optional>

#include "simgpu/cupti/record_layout.h"

namespace dltap::simgpu {

// Time that CUPTI or the driver took from the program (CUPTI_ACTIVITY_KIND_
// OVERHEAD), by the thread that lost it.
struct Overhead {
  CUpti_ActivityOverheadKind kind;
  int64_t begin_ns;
  int64_t end_ns;
  uint32_t thread_id;
  uint32_t correlation_id = 0;  // 0: not of one call
};

// nullopt: the release that is simulated does not know this kind of overhead.
std::optional<PendingRecord> ToRecord(const Overhead& overhead);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_OVERHEAD_RECORDS_H_
