// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_COLOR_H_
#define DLTAP_ANALYZER_CLI_COLOR_H_

#include <cstdio>
#include <string_view>

namespace dltap::analyzer {

// Whether text for `stream` may hold colour. `when` is auto, always or never;
// auto asks NO_COLOR, then FORCE_COLOR and CLICOLOR_FORCE (each counts when
// set and not empty; of the last two "0" is no), then whether `stream` is a
// terminal other than TERM=dumb. See no-color.org, bixense.com/clicolors.
bool UseColor(std::string_view when, std::FILE* stream);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_COLOR_H_
