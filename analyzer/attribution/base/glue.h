// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_BASE_GLUE_H_
#define DLTAP_ANALYZER_ATTRIBUTION_BASE_GLUE_H_

#include <string_view>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Says of every activity what it is beside the layers' own work (Glue), and
// gives fills, copies, casts, transposes and bias adds the layer right before
// or after them on the same thread: Attributed::glue_of. Their class stays
// what they do. Runs after class and direction are known.
void FindGlue(const TraceModel& model, const Process& process,
              ProcessAttribution& attribution);

// What a kernel of that name, demangled, is beside the layers' work.
Glue GlueOfName(std::string_view name, LayerClass layer_class);

// Whether a kernel of that name, demangled, fills a tensor of integers or
// truths: neither weights nor their gradients are such.
bool FillsWholeNumbers(std::string_view name);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_BASE_GLUE_H_
