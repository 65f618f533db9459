// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_ACTIVITY_COLLECTION_H_
#define DLTAP_SHIM_TAP_ACTIVITY_ACTIVITY_COLLECTION_H_

#include "shim/tap/activity/source.h"

namespace dltap::shim {

// Makes `source` part of the collector's work and of the call path's hooks. At
// load, once; `source` lives as long as the process.
void CollectActivities(const ActivitySource& source, RealFinder real);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ACTIVITY_ACTIVITY_COLLECTION_H_
