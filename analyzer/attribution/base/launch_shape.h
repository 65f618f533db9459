// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_BASE_LAUNCH_SHAPE_H_
#define DLTAP_ANALYZER_ATTRIBUTION_BASE_LAUNCH_SHAPE_H_

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// All zero where the trace does not tell.
inline LaunchShape ShapeOf(const Process& process, const Activity& activity) {
  if (activity.shape >= process.launch_shapes.size()) return LaunchShape();
  return process.launch_shapes[activity.shape];
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_BASE_LAUNCH_SHAPE_H_
