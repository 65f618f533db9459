// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/work_folder.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

absl::Status FolderError(const std::string& path,
                         const std::error_code& error) {
  return absl::PermissionDeniedError(absl::StrCat(path, ": ", error.message()));
}

}  // namespace

// The name is unique by itself: containers share host names and pids.
absl::StatusOr<WorkFolder> WorkFolder::Make(const std::string& dataset) {
  std::error_code error;
  fs::create_directories(dataset, error);
  if (error) return FolderError(dataset, error);
  RemoveDeadWork(dataset);
  char host[64] = {};
  gethostname(host, sizeof host - 1);
  for (;;) {
    std::string path = fs::path(dataset) / absl::StrCat(kWorkPrefix, host, "-",
                                                        getpid(), "-XXXXXX");
    if (mkdtemp(path.data()) == nullptr) {
      return FolderError(path, {errno, std::system_category()});
    }
    std::optional<WorkLock> lock = WorkLock::Hold(path);
    if (lock) return WorkFolder(path, *std::move(lock));
  }
}

// Two who remove what lies there at once stop each other, and something stays:
// nobody else does while the lock is held.
WorkFolder::~WorkFolder() {
  std::error_code error;
  if (!path_.empty()) RemoveWork(path_);
  lock_.Release();
  if (!path_.empty()) fs::remove_all(path_, error);
}

}  // namespace dltap::analyzer
