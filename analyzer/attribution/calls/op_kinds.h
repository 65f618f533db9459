// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_CALLS_OP_KINDS_H_
#define DLTAP_ANALYZER_ATTRIBUTION_CALLS_OP_KINDS_H_

#include "analyzer/model/layer_class.h"
#include "opmodel/operation.h"

namespace dltap::analyzer {

// Class and direction of an operation, as the vocabulary has them; `other` and
// none for a kind that a newer trace brought.
LayerClass ClassOf(opmodel::OpKind kind);
Direction DirectionOf(opmodel::OpKind kind);

// The kind of that class and direction, the first where several fit; kUnknown
// when none does.
opmodel::OpKind KindOf(LayerClass layer_class, Direction direction);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_CALLS_OP_KINDS_H_
