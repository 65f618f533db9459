// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_DATASET_OPTIONS_H_
#define DLTAP_ANALYZER_EXPORTERS_DATASET_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

namespace dltap::analyzer {

// What the name of a run is made of, so that every engine reads the folder
// run=NAME back.
constexpr bool IsRunCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
         (c >= 'a' && c <= 'z') || c == '-' || c == '_' || c == '.';
}

// Where the ranks of a trace go.
struct DatasetOptions {
  std::string folder;  // made if need be
  std::string run = "default";
  std::optional<int64_t> rank = {};  // of the only process
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_DATASET_OPTIONS_H_
