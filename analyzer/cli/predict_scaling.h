// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_PREDICT_SCALING_H_
#define DLTAP_ANALYZER_CLI_PREDICT_SCALING_H_

#include <string>
#include <vector>

namespace dltap::analyzer {

// Whether `dltap predict` is asked for a trace's step on more GPUs.
bool AsksForScaling(const std::vector<std::string>& args);

// `dltap predict --scaling TRACE --gradients BYTES`; returns the exit code.
int RunPredictScaling(const std::vector<std::string>& args);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_PREDICT_SCALING_H_
