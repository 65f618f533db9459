// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_ALIGNMENT_H_
#define DLTAP_ANALYZER_METRICS_BASE_ALIGNMENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace dltap::analyzer {

inline constexpr size_t kNotAligned = std::numeric_limits<size_t>::max();

using AlignmentScore = std::function<int(size_t, size_t)>;

// Pairs the elements of two sequences, both in order and each element once, so
// that the sum of score(a, b) is largest; what scores 0 is no pair. Of equally
// good pairs it takes the earliest `a`. Returns the partner of each b, or
// kNotAligned. Time and memory are a_count x b_count: above kMaxAlignedCells
// only the first elements of `a` take part.
inline constexpr size_t kMaxAlignedCells = size_t{1} << 25;
std::vector<size_t> Align(size_t a_count, size_t b_count,
                          const AlignmentScore& score);

// An `a` may also have elements of b behind its own, or in its place, for
// again(a, b) each.
std::vector<size_t> Align(size_t a_count, size_t b_count,
                          const AlignmentScore& score,
                          const AlignmentScore& again);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_ALIGNMENT_H_
