// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_WRAP_H_
#define DLTAP_ANALYZER_REPORTS_WRAP_H_

#include <string>

namespace dltap::analyzer {

// Breaks at spaces, and words that are wider, so that no line is wider than
// the page. Lines but the first begin with `indent`.
std::string Wrap(const std::string& text, const std::string& indent);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_WRAP_H_
