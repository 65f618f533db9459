// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_COLLECTIVES_TABLE_H_
#define DLTAP_ANALYZER_EXPORTERS_COLLECTIVES_TABLE_H_

#include "analyzer/exporters/table.h"

namespace dltap::analyzer {

// A row for each communication kernel: docs/dataset.md.
ExportTable CollectivesTable();

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_COLLECTIVES_TABLE_H_
