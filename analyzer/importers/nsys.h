// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_NSYS_H_
#define DLTAP_ANALYZER_IMPORTERS_NSYS_H_

#include <string>

#include "absl/status/status.h"
#include "analyzer/importers/import_context.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Adds every process with events of a SQLite file that `nsys export --type
// sqlite` wrote to `model`. The caller normalises.
//
// Exports leave out tables without rows, and versions differ in columns, so
// any table and most columns may be missing. Rows without usable times are
// counted as lost. After an error `model` is of no use.
absl::Status ImportNsys(const std::string& path, TraceModel& model,
                        const ImportContext& context = {});

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_NSYS_H_
