// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_CLASSES_FRAMEWORK_H_
#define DLTAP_ANALYZER_METRICS_CLASSES_FRAMEWORK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/metrics/classes/tallies.h"

namespace dltap::analyzer {

enum class Framework : uint8_t { kUnknown, kTorch, kTensorflow, kJax, kMxnet };

// That of all processes with GPU work, as `names` tell; where they tell none or
// several, as its own kernels do. kUnknown where those differ.
Framework FrameworkOf(const std::vector<std::string>& names,
                      const Tallies& tallies);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_CLASSES_FRAMEWORK_H_
