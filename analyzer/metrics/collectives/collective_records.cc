// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/collectives/collective_records.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>

namespace dltap::analyzer {
namespace {

// Of them the trace does not say when: any kernel's record may be lost.
constexpr std::string_view kKernelLosses[] = {
    "cupti_dropped",  "activity_buffer", "zero_timestamp", "bad_activity",
    "flush_deadline", "max_mb",          "write_failed",   "corrupt_block",
    "unmapped_time",  "correlation_wrap"};

bool LostKernels(const Process& process) {
  return std::ranges::any_of(process.losses, [](const Loss& loss) {
    return loss.count > 0 && std::ranges::find(kKernelLosses, loss.cause) !=
                                 std::end(kKernelLosses);
  });
}

}  // namespace

bool EndsAreRecordedSince(const Process& process, DeviceId device,
                          int64_t at_ns) {
  if (process.recorded_until_ns || LostKernels(process)) return false;
  return std::ranges::none_of(
      process.not_observed, [&](const NotObserved& span) {
        return span.device == device && span.end_ns > at_ns &&
               span.cause != NotObservedCause::kAfterWatermark;
      });
}

int64_t CallsKnownUntil(const Process& process, int64_t from_ns) {
  int64_t until_ns = std::numeric_limits<int64_t>::max();
  for (const NotObserved& span : process.not_observed) {
    if (span.cause == NotObservedCause::kRecordingOff &&
        span.end_ns > from_ns) {
      until_ns = std::min(until_ns, span.begin_ns);
    }
  }
  return until_ns;
}

}  // namespace dltap::analyzer
