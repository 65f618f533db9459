// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_PART_H_
#define DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_PART_H_

#include <cstddef>
#include <cstdint>

namespace dltap::analyzer {

// A rank's kernel of a collective that ends for all ranks together.
struct CollectivePart {
  uint32_t work;      // into Process::activities
  size_t collective;  // equal for all its ranks
  size_t ranks;       // how many those are, this one too
  int64_t waited_ns;  // for the last of them
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_COLLECTIVES_COLLECTIVE_PART_H_
