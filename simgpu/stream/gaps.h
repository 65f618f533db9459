// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_GAPS_H_
#define DLTAP_SIMGPU_STREAM_GAPS_H_

#include <cstdint>

namespace dltap::simgpu {

// Times between work by the rules of timeline.h.
constexpr int64_t kSubmitLatencyNs = 3'000;
constexpr int64_t kKernelGapNs = 900;
constexpr int64_t kGraphNodeGapNs = 500;

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_GAPS_H_
