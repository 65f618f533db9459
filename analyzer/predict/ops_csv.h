// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_PREDICT_OPS_CSV_H_
#define DLTAP_ANALYZER_PREDICT_OPS_CSV_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "opmodel/operation.h"

namespace dltap::analyzer {

// One row of an operations file.
struct OpsRow {
  int64_t line;    // in the file, from 1
  std::string op;  // as written
  opmodel::Operation operation;
  double host_ns;  // from an event before the call to the kernel's start
  std::optional<double> measured_ms;
};

// Reads the file format of `dltap predict` (README.md lists the columns): rows
// in the file's order. The first row that cannot be understood is an error
// that names file (`path`), line and column.
absl::StatusOr<std::vector<OpsRow>> ParseOpsCsv(std::string_view text,
                                                std::string_view path);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_PREDICT_OPS_CSV_H_
