// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_NCU_CSV_H_
#define DLTAP_ANALYZER_IMPORTERS_NCU_CSV_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "analyzer/model/kernel_counters.h"

namespace dltap::analyzer {

// Whether a file that begins so is what `ncu --csv` prints: somewhere a header
// with "ID" and "Kernel Name" (the program's own output may stand before it).
bool LooksLikeNcuCsv(std::string_view head);

// Nsight Compute's CSV, both shapes: one line per metric (`--page details`, or
// `--metrics` without a page) and one line per launch (`--page raw`, units in
// the second line). `path` labels errors. Numbers may group by thousands, with
// the decimal sign of either locale. Values that are no numbers are counted,
// and of a file that breaks off in its last line what is whole is read.
// Error: no header, a line with too many or too few fields, no launch.
absl::StatusOr<CounterTable> ParseNcuCsv(std::string_view text,
                                         const std::string& path);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_NCU_CSV_H_
