// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_DIFF_SENTENCE_H_
#define DLTAP_ANALYZER_REPORTS_DIFF_SENTENCE_H_

#include <string>

#include "analyzer/compare/difference.h"

namespace dltap::analyzer {

// The difference in one line, for a pull request, without a stop: "step +6.1 %
// (40.20 -> 42.70 ms, ±0.40): ATTENTION backward +2.10 ms; 24 more kernels;
// 0.40 ms in smaller parts".
std::string DiffSentence(const Difference& difference);

// "ATTENTION backward", "idle wait", "not observed".
std::string PartText(const SeriesKey& key);

// What two runs differ in, a clause.
std::string UnlikeText(const Unlike& unlike);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_DIFF_SENTENCE_H_
