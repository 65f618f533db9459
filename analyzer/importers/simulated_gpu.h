// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_SIMULATED_GPU_H_
#define DLTAP_ANALYZER_IMPORTERS_SIMULATED_GPU_H_

#include <string_view>

namespace dltap::analyzer {

// Whether a UUID, as hexadecimal digits, is that of a simulated device:
// docs/design.md section 9, "dltapsim".
inline bool IsSimulatedGpu(std::string_view uuid) {
  return uuid.starts_with("646c74617073696d");
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_SIMULATED_GPU_H_
