// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_KIND_PERIOD_H_
#define DLTAP_ANALYZER_METRICS_STEPS_KIND_PERIOD_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace dltap::analyzer {

// After how many iterations the same kinds come again, if the rarest are left
// out as extras: 2 where a generator and a discriminator train by turns, and
// each is regularised now and then. As few are left out as make the others
// recur, three times at least; each of them is in half of the steps at most. 1:
// none make others recur, or all do.
size_t PeriodBesideExtras(std::span<const uint32_t> kinds);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_KIND_PERIOD_H_
