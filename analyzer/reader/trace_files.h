// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TRACE_FILES_H_
#define DLTAP_ANALYZER_READER_TRACE_FILES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/reader/mapped_file.h"
#include "shim/trace/decoder.h"

namespace dltap::analyzer {

struct TraceFile {
  MappedFile file;
  trace::FileHeader header;
};

// What one process left: its data files in order of segment, and its rings.
// Owns the bytes that chunks and records point into.
struct ProcessFiles {
  std::vector<TraceFile> data;
  std::vector<TraceFile> rings;
};

// The paths of all its files.
void AddNames(const ProcessFiles& files, std::vector<std::string>& paths);

// Opens every trace file that `paths` (files, directories) name and groups
// them by process. What cannot be read is an error if it was named itself, and
// a line in `problems` if a directory held it. No process at all is an error.
absl::StatusOr<std::vector<ProcessFiles>> OpenTraceFiles(
    const std::vector<std::string>& paths, std::vector<std::string>* problems);

// Whether a line of `problems` says that the file is empty: its process was
// killed before it wrote, and nothing is lost with the file.
bool SaysEmpty(std::string_view problem);

// Checks the header. Error: what is wrong with it.
absl::StatusOr<TraceFile> OpenTraceFile(MappedFile file);

// Files of one process together, its data files in order of segment.
std::vector<ProcessFiles> GroupByProcess(std::vector<TraceFile> files);

// Whether `head`, the first bytes of a file, begin an own trace; also when the
// writer died within its magic number.
bool LooksLikeOwnTrace(std::string_view head);

// Paths of the trace files in a directory, sorted; a file is itself.
absl::StatusOr<std::vector<std::string>> ListTraceFiles(
    const std::string& path);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TRACE_FILES_H_
