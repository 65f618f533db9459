// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_FORMATS_H_
#define DLTAP_ANALYZER_EXPORTERS_FORMATS_H_

#include <span>
#include <string_view>
#include <vector>

#include "analyzer/exporters/export_input.h"
#include "analyzer/exporters/output_files.h"

namespace dltap::analyzer {

// One row of the table of formats.
struct ExportFormat {
  std::string_view name;
  std::string_view extension;  // ".json"; empty: a folder of files
  std::string_view opens_in;   // for --help
  // What it writes; several files go into a folder. Without a name of its own a
  // file is called "trace" and the extension.
  std::vector<ExportFile> (*files)(const ExportInput& input);
};

std::span<const ExportFormat> AllFormats();
// nullptr: there is none of this name.
const ExportFormat* FindFormat(std::string_view name);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_FORMATS_H_
