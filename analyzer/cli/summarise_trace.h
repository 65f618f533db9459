// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_SUMMARISE_TRACE_H_
#define DLTAP_ANALYZER_CLI_SUMMARISE_TRACE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/attribution/attribution.h"
#include "analyzer/cli/selection_options.h"
#include "analyzer/metrics/pictures/pictures.h"
#include "analyzer/metrics/summary/summary.h"

namespace dltap::analyzer {

struct SummarisedTrace {
  absl::Status usage;  // of the options; not ok: no summary
  absl::StatusOr<Summary> summary;
};

// The summary of `paths`, as LoadTrace takes them. Long own traces are read
// slice by slice, with a warning where that can't be done, unless a view
// `needs_whole`. Problems are warnings on stderr.
SummarisedTrace SummariseTrace(const std::vector<std::string>& paths,
                               const AttributionOptions& attribution,
                               const SelectionOptions& selection,
                               bool needs_whole = false);

// The same with pictures. They need the whole trace: `pictures` gets nothing
// where that doesn't fit into memory.
SummarisedTrace SummariseWithPictures(const std::vector<std::string>& paths,
                                      const AttributionOptions& attribution,
                                      const SelectionOptions& selection,
                                      std::optional<Pictures>& pictures);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_SUMMARISE_TRACE_H_
