// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_SOFTMAX_SIZE_H_
#define DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_SOFTMAX_SIZE_H_

#include <cstdint>
#include <limits>
#include <string_view>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What is known of the matrix that a softmax, or its gradient, works on: ranges
// that its numbers of rows and columns lie in, and how many elements it has.
struct SoftmaxSize {
  static constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

  bool is_log = false;  // of a loss
  int64_t rows_least = 1;
  int64_t rows_most = kMost;
  int64_t columns_least = 1;
  int64_t columns_most = kMost;
  int64_t elements = 0;  // 0: not known

  bool known() const {
    return elements != 0 || rows_most != kMost || columns_least != 1;
  }
};

// By a kernel of PyTorch: its demangled name, and its grid and block. All other
// names tell nothing.
SoftmaxSize SizeOfSoftmax(std::string_view demangled, const LaunchShape& shape);

// Whether it may be the softmax of a matrix of `rows` x `columns`, to each row
// of which less than it holds may have been appended (attention sinks).
bool MayBeOver(const SoftmaxSize& size, int64_t rows, int64_t columns);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_SOFTMAX_SIZE_H_
