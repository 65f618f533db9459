// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_NARROW_ROWS_H_
#define DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_NARROW_ROWS_H_

#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/attribution/base/submissions.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// PyTorch reads the rows of a table that are a few numbers wide (an embedding
// of one or two), or that a column of indices names (`e(x[:, j])`), with the
// kernel of `gather`, elementwise by its name. Where no
// operator tells them apart, the backward pass does: the gradient of rows has
// kernels of its own, that of a gather is a scatter. Where gradients come in
// reverse order, one for each read, those of rows make embeddings of all reads
// of their name and grid, unless some are a gather's. `is_backward` has the
// pass of each of `order`. Before directions are settled: an embedding begins
// a pass forward.
void SettleNarrowRows(const TraceModel& model, const Process& process,
                      const std::vector<Submission>& order,
                      const std::vector<bool>& is_backward,
                      ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_DIRECTION_NARROW_ROWS_H_
