// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_MAN_PAGE_H_
#define DLTAP_ANALYZER_CLI_MAN_PAGE_H_

#include <string>
#include <vector>

#include "analyzer/cli/command_page.h"

namespace dltap::analyzer {

// dltap-report(1), as man(7) is written.
std::string ManPage(const CommandPage& page);

// dltap(1), which leads to the others.
std::string OverviewManPage(const std::vector<CommandPage>& pages);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_MAN_PAGE_H_
