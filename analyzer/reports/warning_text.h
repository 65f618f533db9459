// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_WARNING_TEXT_H_
#define DLTAP_ANALYZER_REPORTS_WARNING_TEXT_H_

#include <string>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/metrics/figures/warnings.h"

namespace dltap::analyzer {

// A warning as one sentence, without a stop. Its numbers are the warning's
// share in percent, its count, or numbers of `figures`.
std::string WarningText(const Warning& warning, const Figures& figures);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_WARNING_TEXT_H_
