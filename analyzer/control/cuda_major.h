// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CONTROL_CUDA_MAJOR_H_
#define DLTAP_ANALYZER_CONTROL_CUDA_MAJOR_H_

#include <optional>
#include <string>
#include <vector>

#include "analyzer/control/run_environment.h"

namespace dltap::analyzer {

// The CUDA version that a command's program is built for, 11 to 13. For Python
// the frameworks beside the interpreter say it; where they disagree, those that
// the script imports. For another program the cudart says it that its file
// names. Nothing is run or loaded; a program may say nothing.
std::optional<int> GuessCudaMajor(const std::vector<std::string>& command,
                                  const Environment& environment);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CONTROL_CUDA_MAJOR_H_
