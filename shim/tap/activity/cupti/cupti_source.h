// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CUPTI_SOURCE_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CUPTI_SOURCE_H_

#include "shim/tap/activity/source.h"

namespace dltap::shim::cupti {

// NVIDIA's activity records, by way of the process's one KernelTracing.
extern const ActivitySource kCuptiSource;

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CUPTI_SOURCE_H_
