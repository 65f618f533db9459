// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_OPERANDS_OPERAND_ELEMENTS_H_
#define DLTAP_ANALYZER_METRICS_OPERANDS_OPERAND_ELEMENTS_H_

#include "analyzer/model/trace_model.h"
#include "opmodel/operation.h"

namespace dltap::analyzer {

// How many elements the operand of that role has. 0: not known.
double ElementsOf(const opmodel::Operation& op, Meaning role);

// The same of an operand of a graph of cuDNN, whose leading node is `op`;
// `argument` is kPointerNodeX or one of its kind.
double ElementsOfNode(const opmodel::Operation& op, Meaning argument);

// What that operand would be of a call that has a name for it: kPointerDw of
// a graph's kPointerNodeW that is a gradient. Itself where there is no name,
// kNone where its size is not known.
Meaning RoleInNode(const opmodel::Operation& op, Meaning argument);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_OPERANDS_OPERAND_ELEMENTS_H_
