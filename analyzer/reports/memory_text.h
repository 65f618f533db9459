// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_MEMORY_TEXT_H_
#define DLTAP_ANALYZER_REPORTS_MEMORY_TEXT_H_

#include <string>
#include <vector>

#include "analyzer/metrics/figures/memory_figures.h"
#include "analyzer/reports/table.h"

namespace dltap::analyzer {

// The device that holds most, in a line; empty: nothing is known.
std::string MemoryLine(const MemoryFigures& memory);

// Requests that were refused; the largest of them. One at least was.
std::string FailureText(const MemoryFigures& memory);

// A row for each device and kind of memory.
Table MemoryTable(const MemoryFigures& memory);

// What the table does not say, a sentence each.
std::vector<std::string> MemoryNotes(const MemoryFigures& memory);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_MEMORY_TEXT_H_
