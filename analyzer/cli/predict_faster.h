// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_PREDICT_FASTER_H_
#define DLTAP_ANALYZER_CLI_PREDICT_FASTER_H_

#include <string>
#include <vector>

namespace dltap::analyzer {

// Whether `dltap predict` is asked for a trace's step with something faster.
bool AsksForFaster(const std::vector<std::string>& args);

// `dltap predict --faster WHAT=K TRACE`; returns the exit code.
int RunPredictFaster(const std::vector<std::string>& args);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_PREDICT_FASTER_H_
