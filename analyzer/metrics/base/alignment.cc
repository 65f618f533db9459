// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/base/alignment.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

enum class From : uint8_t { kSkipA, kSkipB, kPair, kAgain };

}  // namespace

std::vector<size_t> Align(size_t a_count, size_t b_count,
                          const AlignmentScore& score) {
  return Align(a_count, b_count, score, [](size_t, size_t) { return 0; });
}

std::vector<size_t> Align(size_t a_count, size_t b_count,
                          const AlignmentScore& score,
                          const AlignmentScore& again) {
  std::vector<size_t> partner(b_count, kNotAligned);
  if (b_count == 0) return partner;
  a_count = std::min(a_count, kMaxAlignedCells / b_count);
  std::vector<From> from(a_count * b_count);
  std::vector<int64_t> best(b_count + 1);  // of the row of `a` before
  std::vector<int64_t> row(b_count + 1);
  for (size_t a = 0; a < a_count; ++a) {
    for (size_t b = 0; b < b_count; ++b) {
      From& how = from[a * b_count + b];
      row[b + 1] = best[b + 1];
      how = From::kSkipA;
      if (row[b] > row[b + 1]) {
        row[b + 1] = row[b];
        how = From::kSkipB;
      }
      const int of_pair = score(a, b);
      if (of_pair > 0 && best[b] + of_pair > row[b + 1]) {
        row[b + 1] = best[b] + of_pair;
        how = From::kPair;
      }
      const int of_more = again(a, b);
      if (of_more > 0 && row[b] + of_more > row[b + 1]) {
        row[b + 1] = row[b] + of_more;
        how = From::kAgain;
      }
    }
    std::swap(best, row);
  }
  size_t a = a_count;
  size_t b = b_count;
  while (a > 0 && b > 0) {
    switch (from[(a - 1) * b_count + b - 1]) {
      case From::kSkipA: --a; break;
      case From::kSkipB: --b; break;
      case From::kPair: partner[--b] = --a; break;
      case From::kAgain: partner[--b] = a - 1; break;
    }
  }
  return partner;
}

}  // namespace dltap::analyzer
