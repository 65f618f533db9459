// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_MODEL_KEPT_MEMORY_H_
#define DLTAP_ANALYZER_MODEL_KEPT_MEMORY_H_

#include <malloc.h>

namespace dltap::analyzer {

// For a process that reads slice after slice: what is freed stays with it for
// the next one. Else the arrays of each pass are mapped, filled with zeroes and
// given back, a tenth of all processor time.
inline void KeepFreedMemory() {
  constexpr int kLargestKept = 32 << 20;  // more is not possible
  constexpr int kAll = 1 << 30;
  constexpr int kAtOnce = 8 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargestKept);
  mallopt(M_TRIM_THRESHOLD, kAll);
  mallopt(M_TOP_PAD, kAtOnce);
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_MODEL_KEPT_MEMORY_H_
