// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_BASE_API_NAME_H_
#define DLTAP_ANALYZER_ATTRIBUTION_BASE_API_NAME_H_

#include <string_view>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The function as CUDA's documentation writes it: without the name that an
// inline wrapper or another tool gave it. Reports, exports and gates use it.
std::string_view ApiName(const EntryPoint& entry);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_BASE_API_NAME_H_
