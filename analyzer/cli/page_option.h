// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_PAGE_OPTION_H_
#define DLTAP_ANALYZER_CLI_PAGE_OPTION_H_

#include <cstddef>
#include <cstdio>

#include "analyzer/reports/page.h"

namespace dltap::analyzer {

inline constexpr size_t kNarrowestPage = 60;
inline constexpr size_t kWidestPage = 500;

// The page for texts on `stream`: of `asked` columns unless 0; on a terminal of
// COLUMNS, then of what it says itself, within what can be read; else the
// usual one, so that a pipe gets the same text everywhere.
Page PageFor(size_t asked, std::FILE* stream);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_PAGE_OPTION_H_
