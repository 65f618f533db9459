// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_KINETO_SHAPES_H_
#define DLTAP_ANALYZER_IMPORTERS_KINETO_SHAPES_H_

#include <string_view>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The operation that a PyTorch operator does, from its recorded inputs: raw
// JSON of "Input Dims", "Input type", "Concrete Inputs" (strides, masks of
// gradients, causal or not) and "Input Strides". Empty for operators that need
// no shape, for unexpected shapes, and where the work depends on a scalar that
// was not recorded.
OperationNodes OperationOfOperator(std::string_view name, std::string_view dims,
                                   std::string_view types,
                                   std::string_view concrete,
                                   std::string_view strides = "");

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_KINETO_SHAPES_H_
