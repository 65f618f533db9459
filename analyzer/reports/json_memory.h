// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_JSON_MEMORY_H_
#define DLTAP_ANALYZER_REPORTS_JSON_MEMORY_H_

#include "analyzer/metrics/figures/memory_figures.h"
#include "analyzer/output/json_writer.h"

namespace dltap::analyzer {

// The field `memory` of the document's object.
void WriteMemory(const MemoryFigures& memory, JsonWriter& json);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_JSON_MEMORY_H_
