// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_JOB_REPLAY_INPUT_H_
#define DLTAP_ANALYZER_QUERY_JOB_REPLAY_INPUT_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "analyzer/query/dataset.h"
#include "analyzer/query/job_replay.h"

namespace dltap::analyzer {

// One run of a data set. `settings`: run, from_step, to_step, as the named
// questions have them. One rank's kernels are in memory at a time.
// kInvalidArgument: a setting; several runs and none chosen. kDataLoss: no used
// steps, no collectives, no kernels.
absl::StatusOr<ReplayJob> ReadReplayJob(
    Dataset& dataset, const std::map<std::string, std::string>& settings);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_JOB_REPLAY_INPUT_H_
