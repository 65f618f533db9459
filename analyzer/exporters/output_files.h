// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_OUTPUT_FILES_H_
#define DLTAP_ANALYZER_EXPORTERS_OUTPUT_FILES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "analyzer/exporters/export_input.h"

namespace dltap::analyzer {

// A file to be written: by a stream of bytes, or by a library that wants a path
// at which nothing is yet. One of the two is set.
struct ExportFile {
  std::string name;
  std::function<void(const ByteSink&)> stream;
  std::function<absl::Status(const std::string& path)> write;
  bool always_compressed = false;  // a stream, whatever the file is called
};

struct OutputPlace {
  std::string path;        // of the file or the folder; "-": stdout
  bool is_folder = false;  // files keep their names in it
  bool may_replace = false;
};

// An error where `path` exists and may not be replaced, or is no file.
absl::Status CheckFree(const std::string& path, bool may_replace);

// Writes each file under a temporary name and renames it when it is whole; what
// fails leaves nothing behind, nor a part of a folder. Files that exist are
// refused, before anything is written, unless they may be replaced. A stream
// whose name ends in ".gz" is compressed. `done` gets the number of files that
// are written.
absl::Status WriteFiles(const std::vector<ExportFile>& files,
                        const OutputPlace& place,
                        const std::function<void(size_t)>& done = nullptr);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_OUTPUT_FILES_H_
