// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_ATTENTION_REGROUP_H_
#define DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_ATTENTION_REGROUP_H_

#include <vector>

#include "analyzer/attribution/composite/composite_units.h"

namespace dltap::analyzer {

// Attention of several calls. Around each softmax of one stream, among the few
// units before and after it: forward, a batched product whose result is as
// large as what a later batched product takes in as its operand; backward, up
// to two batched products on each side that give or take a matrix of that size.
// Where the softmax tells its size (softmax_size.h), that matrix must have it:
// the softmax of a router or of a loss between other products is none.
// Everything elementwise between the first and the last of them is attention
// too, and so is a scaling of operands or results right next to them.
// Projections (products of batch 1) stay gemm, also inside.
void RegroupAttention(const Process& process, const std::vector<Unit>& units,
                      ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_ATTENTION_REGROUP_H_
