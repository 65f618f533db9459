// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_PREDICT_PREDICTION_H_
#define DLTAP_ANALYZER_PREDICT_PREDICTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/predict/ops_csv.h"
#include "opmodel/device_time.h"
#include "opmodel/gpu_table.h"

namespace dltap::analyzer {

struct PredictedRow {
  int64_t line;
  std::string op;
  double modelled_ms;  // between events around the call
  double device_ms;    // of its kernels alone
  opmodel::Bound bound;
  std::optional<double> measured_ms;
  std::optional<double> error_ratio;  // modelled / measured - 1
};

// Errors of the rows of one operation that were measured.
struct OpAccuracy {
  std::string op;
  int64_t rows;
  int64_t measured_rows;
  std::optional<double> mean_error_ratio;  // of absolute values
  std::optional<double> median_error_ratio;
};

struct Prediction {
  const opmodel::GpuSpec* gpu;
  std::vector<PredictedRow> rows;  // in the file's order
  std::vector<OpAccuracy> ops;     // in the order of first appearance
};

// Modelled time of each row as a pair of events around the call would show it:
// device time and what passes on the host before the kernel starts.
Prediction Predict(const std::vector<OpsRow>& rows,
                   const opmodel::GpuSpec& gpu);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_PREDICT_PREDICTION_H_
