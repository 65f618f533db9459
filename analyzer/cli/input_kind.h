// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_INPUT_KIND_H_
#define DLTAP_ANALYZER_CLI_INPUT_KIND_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace dltap::analyzer {

// What a file is, by its first bytes; names and extensions say nothing.
enum class InputKind : uint8_t {
  kOwnTrace,  // data or ring file
  kKineto,    // JSON, perhaps gzipped
  kNsys,      // SQLite
  kText,      // of dltap dump
  kNcuCsv,    // of ncu --csv: counters, no trace
};

// Error: unreadable, empty, or nothing that dltap knows.
absl::StatusOr<InputKind> KindOfFile(const std::string& path);

// The inputs that `path` names: itself, or, for a directory, its own trace as
// a whole ({path}), else the traces of others in it (Kineto, SQLite).
absl::StatusOr<std::vector<std::string>> InputsAt(const std::string& path);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_INPUT_KIND_H_
