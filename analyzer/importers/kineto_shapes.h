// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_KINETO_SHAPES_H_
#define DLTAP_ANALYZER_IMPORTERS_KINETO_SHAPES_H_

#include <string_view>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The operation that a PyTorch operator does, from its recorded inputs: `dims`
// and `types` are the raw JSON of "Input Dims" and "Input type". Empty for
// operators that need no shape, and for unexpected shapes.
OperationNodes OperationOfOperator(std::string_view name, std::string_view dims,
                                   std::string_view types);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_KINETO_SHAPES_H_
