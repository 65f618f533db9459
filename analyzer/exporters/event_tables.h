// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_EVENT_TABLES_H_
#define DLTAP_ANALYZER_EXPORTERS_EVENT_TABLES_H_

#include "analyzer/exporters/table.h"

namespace dltap::analyzer {

// What ran: a row for each piece of work, call and step.
Table KernelsTable();
Table CallsTable();
Table StepsTable();

// Process and rank, the first columns of most tables.
void WriteOwner(const Process& process, RowSink& sink);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_EVENT_TABLES_H_
