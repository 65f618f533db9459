// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_COLLECTIVES_CLOCK_ALIGNMENT_H_
#define DLTAP_ANALYZER_METRICS_COLLECTIVES_CLOCK_ALIGNMENT_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/metrics/collectives/collective_run.h"

namespace dltap::analyzer {

// The kernels of two ranks that are one collective each: a collective ends at
// nearly the same time on all its ranks.
struct Pairing {
  std::vector<std::pair<size_t, size_t>> pairs;  // into the two sequences
  int64_t offset_ns = 0;  // of the first rank's clock against the second's
  int64_t spread_ns = 0;  // median distance of ends, once that is added
  bool by_number = false;
};

using RunSequence = std::vector<const CollectiveRun*>;  // in time

// Pairs what is of one kind and size, runs at one time and ends together; on
// one clock the n-th of both, if their numbers are known and fit.
// Ranks that do not share a clock get the offset at which ends agree best.
// nullopt: half of the kernels have no partner, their ends lie apart, or
// several offsets fit alike.
std::optional<Pairing> Pair(const RunSequence& a, const RunSequence& b,
                            bool one_clock);

// The same with an offset that is known; few pairs are enough.
std::optional<Pairing> PairWith(const RunSequence& a, const RunSequence& b,
                                int64_t offset_ns);

// Whether no rank can leave it before all are there, so that all end together.
// The root of a broadcast or a sender may be gone before the others come.
bool EndsForAll(const CollectiveRun& run);

// The n-th of both, of what a sends and b receives too. Empty where the numbers
// are not known for all, or tell nothing.
Pairing PairByNumber(const RunSequence& a, const RunSequence& b);

// All pairs at that offset, good or not.
Pairing PairAt(const RunSequence& a, const RunSequence& b, int64_t offset_ns);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_COLLECTIVES_CLOCK_ALIGNMENT_H_
