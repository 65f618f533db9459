// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_PREDICT_SCALING_RENDER_H_
#define DLTAP_ANALYZER_PREDICT_SCALING_RENDER_H_

#include <string>

#include "analyzer/predict/scaling.h"

namespace dltap::analyzer {

// What is assumed, above the numbers; then a row per number of GPUs.
std::string RenderScalingText(const Scaling& scaling,
                              const opmodel::GpuSpec& gpu,
                              const ScalingOptions& options);

// {"schema":"dltap.scaling","version":1,"gpu":...,"step":{...},"rows":[...]};
// times in ns.
std::string RenderScalingJson(const Scaling& scaling,
                              const opmodel::GpuSpec& gpu,
                              const ScalingOptions& options);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_PREDICT_SCALING_RENDER_H_
