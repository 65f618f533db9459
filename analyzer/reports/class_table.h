// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_CLASS_TABLE_H_
#define DLTAP_ANALYZER_REPORTS_CLASS_TABLE_H_

#include <optional>
#include <string>

#include "analyzer/metrics/summary.h"
#include "analyzer/model/trace_model.h"
#include "analyzer/reports/table.h"

namespace dltap::analyzer {

struct ReportOptions {
  bool wide = false;  // no folding of small rows
  size_t top = 20;    // rows of the tables by api, kernel, op
  std::optional<double> samples_per_step;
  std::string samples_unit = "samples";
  bool color = false;  // text only: escape codes for what limits the step
};

// The name of a class as people say it: CONV, LSTM/RNN, COPY H2D.
std::string DisplayName(LayerClass layer_class);

// One row per layer class, largest first, and their total. Times are per used
// step when steps were found, else over the run.
Table ClassTable(const Summary& summary, const ReportOptions& options);

Table ApiTable(const Summary& summary, const ReportOptions& options);
Table KernelTable(const Summary& summary, const ReportOptions& options);
Table OpTable(const Summary& summary, const ReportOptions& options);
Table StepTable(const Summary& summary);
Table DeviceTable(const TraceModel& model, const Summary& summary);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_CLASS_TABLE_H_
