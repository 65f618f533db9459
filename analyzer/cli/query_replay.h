// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_QUERY_REPLAY_H_
#define DLTAP_ANALYZER_CLI_QUERY_REPLAY_H_

#include <string>

#include "absl/status/status.h"

namespace dltap::analyzer {

// Prints what the steps of a published pipeline would be without its
// stragglers, and whose they are; as text or JSON.
absl::Status PrintReplay(const std::string& path, bool as_json);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_QUERY_REPLAY_H_
