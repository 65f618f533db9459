// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_PLAN_TEXT_H_
#define DLTAP_SHIM_TAP_TAGGING_PLAN_TEXT_H_

#include <cstdint>

namespace dltap::shim::tagging {

// A plan that another process made, and JSON restored, has no descriptors. The
// kind (without dimensions) is taken from the operation names in the text, as
// far as they occur; 0 when none does.
uint32_t OperationOfPlanText(const char* text, int64_t bytes);

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_PLAN_TEXT_H_
