// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_EVENT_TABLES_H_
#define DLTAP_ANALYZER_EXPORTERS_EVENT_TABLES_H_

#include <string>

#include "analyzer/exporters/table.h"

namespace dltap::analyzer {

// A row for each step on each device; one for a step that has work on none.
ExportTable StepsTable();

// "host:pid"; the number alone where the host is not known.
std::string OwnerOf(const Process& process);

// Process and rank, the first columns of most tables.
void WriteOwner(const Process& process, RowSink& sink);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_EVENT_TABLES_H_
