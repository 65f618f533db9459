// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_HTML_PAGE_H_
#define DLTAP_ANALYZER_CLI_HTML_PAGE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "analyzer/attribution/attribution.h"
#include "analyzer/cli/selection_options.h"

namespace dltap::analyzer {

// What the page is about.
struct HtmlRequest {
  std::string command;  // that errors are of
  std::vector<std::string> paths;
  AttributionOptions attribution;
  SelectionOptions selection;
  std::optional<double> samples_per_step;
};

// Whether a page may be written there: kAlreadyExists if the file is no page
// of ours.
absl::Status MayWritePage(const std::string& file);

// Writes the page of two documents to `file`, or to stdout for "-", and says so
// on stderr.
absl::Status WritePage(const std::string& report, const std::string& pictures,
                       const std::string& file);

// Writes the page to `file`, or to stdout for "-", and says so on stderr. A
// file that is there is replaced if it is a page of ours, else refused. The
// exit code.
int WriteHtml(const HtmlRequest& request, const std::string& file);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_HTML_PAGE_H_
