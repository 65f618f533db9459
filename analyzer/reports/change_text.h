// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_CHANGE_TEXT_H_
#define DLTAP_ANALYZER_REPORTS_CHANGE_TEXT_H_

#include <string>

#include "analyzer/compare/change.h"
#include "analyzer/compare/quantities.h"

namespace dltap::analyzer {

// A value as all faces of a difference show it; shares in percent.
std::string ValueText(Unit unit, double value);
// With a plus sign above 0: "+2.10". What rounds to zero has no sign.
std::string SignedText(Unit unit, double value);
std::string SignedMs(double ns);
std::string SignedMib(double bytes);  // with its unit
// "+6.1 %"; where the base is 0, "from 0".
std::string RelativeText(const Change& change);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_CHANGE_TEXT_H_
