// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BYTES_FRESHNESS_H_
#define DLTAP_SIMGPU_BYTES_FRESHNESS_H_

#include <cstdint>

namespace dltap::simgpu {

// How far bytes of device memory hold what a GPU would have left there. The
// more, the fresher.
enum class Freshness : uint8_t {
  // A kernel that does not compute left them, or nobody wrote them: what lies
  // there means nothing, and counts as zero where it is used.
  kStale,
  // Computed here, but from bytes that are stale: what a GPU would have left
  // there had it found zeroes.
  kAssumed,
  // What a GPU would have left: a copy, a memset, a library's result or a
  // kernel that computes wrote them, and no kernel that may have written there,
  // too, came after the write and before the work that asks (work_order.h).
  kFresh,
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BYTES_FRESHNESS_H_
