// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_INFO_JSON_H_
#define DLTAP_ANALYZER_CLI_INFO_JSON_H_

#include <string>
#include <vector>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// `dltap info --json`, by analyzer/cli/info.schema.json.
std::string InfoJson(const TraceModel& model);

// `dltap check --json`, by analyzer/cli/check.schema.json. `problems`: of the
// files; `whole`: nothing is damaged or lost.
std::string CheckJson(const TraceModel& model,
                      const std::vector<std::string>& problems, bool whole);

// How many activities of a kind a process has.
int64_t CountOf(const Process& process, ActivityKind kind);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_INFO_JSON_H_
