// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_NSYS_COLUMNS_H_
#define DLTAP_ANALYZER_EXPORTERS_NSYS_COLUMNS_H_

#include <string>
#include <string_view>
#include <vector>

namespace dltap::analyzer {

// A table as it is made: "start INTEGER NOT NULL, end INTEGER NOT NULL".
struct NsysTable {
  std::string_view name;
  std::string columns;
};

// Those that an export writes, the columns in the order of its rows.
std::vector<NsysTable> NsysTables();

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_NSYS_COLUMNS_H_
