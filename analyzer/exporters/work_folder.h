// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_WORK_FOLDER_H_
#define DLTAP_ANALYZER_EXPORTERS_WORK_FOLDER_H_

#include <filesystem>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "analyzer/exporters/work_lock.h"

namespace dltap::analyzer {

// A folder in a data set in which nobody else writes and that no reader sees,
// for what is not complete yet. It goes with its owner; that of one who was
// killed goes when the next is made.
class WorkFolder {
 public:
  static absl::StatusOr<WorkFolder> Make(const std::string& dataset);
  ~WorkFolder();
  WorkFolder(WorkFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  WorkFolder& operator=(WorkFolder&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  WorkFolder(std::filesystem::path path, WorkLock lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  std::filesystem::path path_;  // empty: moved from
  WorkLock lock_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_WORK_FOLDER_H_
