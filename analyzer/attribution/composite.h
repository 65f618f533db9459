// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_H_
#define DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_H_

#include "analyzer/attribution/attributed.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Regroups what several calls compute together. In the order of submission on
// one stream, two batched GEMMs of one batch count with a softmax and nothing
// but elementwise work between them are attention, forward; the same around a
// softmax's backward, with the neighbouring GEMMs of that batch, is its
// backward. Overrides gemm, softmax, elementwise, activation, dropout and
// layout, never conv, norm, rnn or attention; adds the time that it moved to
// `composite_ns`. Projections (GEMMs of batch 1) stay gemm.
void RegroupComposites(const Process& process, ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_H_
