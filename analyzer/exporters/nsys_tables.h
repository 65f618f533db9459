// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_NSYS_TABLES_H_
#define DLTAP_ANALYZER_EXPORTERS_NSYS_TABLES_H_

#include <string>

#include "absl/status/status.h"
#include "analyzer/exporters/export_input.h"

namespace dltap::analyzer {

// Writes an SQLite database at `path`, where nothing is yet, in the tables of
// Nsight Systems' export: its names and numbers, nanoseconds. Calls of cuBLAS
// and cuDNN stand in their tables, those of other libraries among NVTX ranges.
absl::Status WriteNsysTables(const ExportInput& input, const std::string& path);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_NSYS_TABLES_H_
