// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TRACE_READER_H_
#define DLTAP_ANALYZER_READER_TRACE_READER_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/model/trace_model.h"
#include "analyzer/reader/process_reader.h"
#include "analyzer/reader/timeline.h"
#include "analyzer/reader/trace_files.h"

namespace dltap::analyzer {

// Reads own traces, each path a directory, a data file or a ring file, into one
// normalised model. A trace is read as far as it is good: what was left out is
// counted in Process::losses, and each case is a line in `problems`, with file
// and byte.
//
// Error codes say why nothing could be read: kNotFound, kPermissionDenied,
// kDataLoss, kUnimplemented (a newer format).
absl::StatusOr<TraceModel> ReadTrace(const std::vector<std::string>& paths,
                                     std::vector<std::string>* problems);

// The same, of files that are open already. The model holds copies: `files` may
// go afterwards.
// `progress`, if any, gets the part that is done.
TraceModel ReadProcesses(const std::vector<ProcessFiles>& files,
                         std::vector<std::string>* problems,
                         const Progress& progress = {});

// Of some of the processes of a trace: `offsets` is shared with the others, so
// that their times compare.
TraceModel ReadProcesses(std::span<const ProcessFiles> files,
                         RealtimeOffsets& offsets,
                         std::vector<std::string>* problems,
                         const Progress& progress = {});

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TRACE_READER_H_
