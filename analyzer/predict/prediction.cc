// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/prediction.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dltap::analyzer {
namespace {

PredictedRow PredictRow(const OpsRow& row, const opmodel::GpuSpec& gpu) {
  // A row that was read has all the dimensions that its operation needs.
  const opmodel::ModelledTime time =
      opmodel::TimeOf(row.operation, gpu)
          .value_or(opmodel::ModelledTime{.ns = 0,
                                          .bound = opmodel::Bound::kLatency});
  const double modelled_ms = (time.ns + row.host_ns) * 1e-6;
  PredictedRow predicted{.line = row.line,
                         .op = row.op,
                         .modelled_ms = modelled_ms,
                         .device_ms = time.ns * 1e-6,
                         .bound = time.bound,
                         .measured_ms = row.measured_ms,
                         .error_ratio = std::nullopt};
  if (row.measured_ms) {
    predicted.error_ratio = modelled_ms / *row.measured_ms - 1;
  }
  return predicted;
}

double MedianOf(std::vector<double> values) {
  const size_t half = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[half]
                                : (values[half - 1] + values[half]) / 2;
}

OpAccuracy AccuracyOf(const std::string& op,
                      const std::vector<PredictedRow>& rows) {
  OpAccuracy accuracy{.op = op,
                      .rows = 0,
                      .measured_rows = 0,
                      .mean_error_ratio = std::nullopt,
                      .median_error_ratio = std::nullopt};
  std::vector<double> errors;
  for (const PredictedRow& row : rows) {
    if (row.op != op) continue;
    ++accuracy.rows;
    if (row.error_ratio) errors.push_back(std::abs(*row.error_ratio));
  }
  accuracy.measured_rows = static_cast<int64_t>(errors.size());
  if (!errors.empty()) {
    accuracy.mean_error_ratio =
        std::accumulate(errors.begin(), errors.end(), 0.0) /
        static_cast<double>(errors.size());
    accuracy.median_error_ratio = MedianOf(std::move(errors));
  }
  return accuracy;
}

}  // namespace

Prediction Predict(const std::vector<OpsRow>& rows,
                   const opmodel::GpuSpec& gpu) {
  Prediction prediction{.gpu = &gpu, .rows = {}, .ops = {}};
  prediction.rows.reserve(rows.size());
  std::vector<std::string> ops;
  for (const OpsRow& row : rows) {
    prediction.rows.push_back(PredictRow(row, gpu));
    if (std::find(ops.begin(), ops.end(), row.op) == ops.end()) {
      ops.push_back(row.op);
    }
  }
  for (const std::string& op : ops) {
    prediction.ops.push_back(AccuracyOf(op, prediction.rows));
  }
  return prediction;
}

}  // namespace dltap::analyzer
