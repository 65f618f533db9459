// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_WORK_FOLDER_H_
#define DLTAP_ANALYZER_EXPORTERS_WORK_FOLDER_H_

#include <filesystem>
#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace dltap::analyzer {

// A folder in a data set in which nobody else writes and that no reader sees,
// for what is not complete yet. It goes with its owner; of one who is killed it
// stays.
class WorkFolder {
 public:
  static absl::StatusOr<WorkFolder> Make(const std::string& dataset);
  ~WorkFolder();
  WorkFolder(WorkFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})) {}
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  WorkFolder& operator=(WorkFolder&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit WorkFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;  // empty: moved from
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_WORK_FOLDER_H_
