// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ADVICE_ADVISE_H_
#define DLTAP_ANALYZER_ADVICE_ADVISE_H_

#include "analyzer/advice/advice.h"
#include "analyzer/metrics/figures/figures.h"
#include "analyzer/metrics/summary/summary.h"

namespace dltap::analyzer {

// From what limits a step to what its user can do about it; README.md.
// `figures` are those of `summary`.
AdviceList Advise(const Summary& summary, const Figures& figures);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ADVICE_ADVISE_H_
