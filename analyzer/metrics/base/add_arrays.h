// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_ADD_ARRAYS_H_
#define DLTAP_ANALYZER_METRICS_BASE_ADD_ARRAYS_H_

#include <array>
#include <cstddef>

namespace dltap::analyzer {

template <typename T, size_t kSize>
void AddTo(std::array<T, kSize>& into, const std::array<T, kSize>& from) {
  for (size_t i = 0; i < kSize; ++i) into[i] += from[i];
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_ADD_ARRAYS_H_
