// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_OPERATOR_TRAFFIC_H_
#define DLTAP_ANALYZER_IMPORTERS_OPERATOR_TRAFFIC_H_

#include <string_view>

#include "analyzer/importers/operator_inputs.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Whether TrafficOf() may tell of the operator.
bool HasTraffic(std::string_view name);

// What elementwise, moving and reducing operators of PyTorch do, as nodes with
// elements and types: one per arithmetic step of an element, each with the
// traffic of the whole. Arithmetic counts as launch_rules.toml says: none of
// integers. Operators on lists of tensors have elements but no type, which
// their kernels' names tell. Empty: the inputs do not tell.
OperationNodes TrafficOf(std::string_view name, const OperatorInputs& in);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_OPERATOR_TRAFFIC_H_
