// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_KINETO_H_
#define DLTAP_ANALYZER_IMPORTERS_KINETO_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Whether `head`, the first bytes of a (decompressed) file, may be a trace
// that PyTorch's profiler (Kineto) wrote.
bool LooksLikeKineto(std::string_view head);

// Adds the process of one Kineto JSON trace (.json or .json.gz) to `model`.
// Runtime calls become calls, framework operators ranges. The caller
// normalises.
//
// Events that cannot be read are counted as lost, never guessed. Broken JSON is
// an error with the number of events before it; `model` is then of no use.
absl::Status ImportKineto(const std::string& path, TraceModel& model);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_KINETO_H_
