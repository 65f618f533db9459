// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_KERNEL_ROWS_H_
#define DLTAP_ANALYZER_EXPORTERS_KERNEL_ROWS_H_

#include "analyzer/exporters/table.h"

namespace dltap::analyzer {

// The table `kernels`: a row for each kernel, copy and memset.
ExportTable KernelsTable();

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_KERNEL_ROWS_H_
