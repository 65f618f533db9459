// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_MODEL_NEAR_SEARCH_H_
#define DLTAP_ANALYZER_MODEL_NEAR_SEARCH_H_

#include <algorithm>
#include <cstddef>

namespace dltap::analyzer {

// Of `n` places in order, the first that `before` is false for; `n` if there
// is none. `near` is any place: the closer to the answer, the faster. For
// questions that come in about the order of the places, it is the last answer.
template <typename Before>
size_t FirstFrom(size_t n, size_t near, Before before) {
  size_t low = 0;
  size_t high = n;
  size_t stride = 1;
  if (near < n && before(near)) {
    low = near + 1;
    for (size_t at = low; at < n; at = low + stride, stride *= 2) {
      if (!before(at)) {
        high = at;
        break;
      }
      low = at + 1;
    }
  } else {
    high = std::min(near, n);
    while (high > 0) {
      const size_t at = high - std::min(high, stride);
      if (before(at)) {
        low = at + 1;
        break;
      }
      high = at;
      stride *= 2;
    }
  }
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_MODEL_NEAR_SEARCH_H_
