// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_KINETO_H_
#define DLTAP_ANALYZER_IMPORTERS_KINETO_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "analyzer/importers/import_context.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Whether `head`, the first bytes of a (decompressed) file, may be a trace
// that PyTorch's profiler (Kineto) wrote.
bool LooksLikeKineto(std::string_view head);

// Adds the process of one Kineto JSON trace (.json or .json.gz) to `model`:
// the whole object, or its array of events alone. Runtime calls become calls,
// framework operators and Python's functions ranges. The caller normalises.
//
// The file is read in windows, so its size has no limit; what it holds must
// find room in the model. Events that cannot be read are counted as lost, never
// guessed. A file that ends early gives what is whole in it, and a problem with
// the byte; one without any whole event is an error, and `model` then of no
// use.
absl::Status ImportKineto(const std::string& path, TraceModel& model,
                          const ImportContext& context = {});

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_KINETO_H_
