// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_LIMIT_SENTENCE_H_
#define DLTAP_ANALYZER_REPORTS_LIMIT_SENTENCE_H_

#include <string>

#include "analyzer/metrics/figures/figures.h"

namespace dltap::analyzer {

// One sentence for one of the limits.
std::string LimitSentence(const Figures& figures, const Limit& limit);
// For the first; where there is none, the largest kinds of work; empty: no work
// is known.
std::string LimitSentence(const Figures& figures);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_LIMIT_SENTENCE_H_
