// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_WEB_PAGE_H_
#define DLTAP_ANALYZER_WEB_PAGE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace dltap::analyzer {

// Pages of ours begin with this, so that they are told from other files.
inline constexpr std::string_view kPageMark =
    "<!doctype html><!-- dltap report -->";

// The page of a report in one file: what JsonReport and JsonPictures wrote
// lies in it as compressed data. kUnavailable: this build has no page.
absl::StatusOr<std::string> HtmlPage(std::string_view report,
                                     std::string_view pictures);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_WEB_PAGE_H_
