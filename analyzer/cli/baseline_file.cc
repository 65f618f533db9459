// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/baseline_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "analyzer/cli/write_output.h"
#include "analyzer/importers/file_bytes.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

absl::Status Unwritable(const std::string& path, const std::string& why) {
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": cannot be written: ", why));
}

std::string FolderOf(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Holds off other writers of files in a folder. Where the file system has no
// locks, nothing does.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder)
      : fd_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (fd_ >= 0) flock(fd_, LOCK_EX);
  }
  ~FolderLock() {
    if (fd_ >= 0) close(fd_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  const int fd_;
};

bool HasConflictMarkers(const std::string& text) {
  return text.starts_with("<<<<<<< ") ||
         text.find("\n<<<<<<< ") != std::string::npos;
}

// The file itself where `path` is a link to it.
std::string TargetOf(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? path : target.string();
}

absl::Status Replace(const std::string& path, const std::string& text) {
  const std::string part = absl::StrCat(path, ".part-", getpid());
  absl::Status status = WriteOutput(part, text);
  if (status.ok() && std::rename(part.c_str(), path.c_str()) != 0) {
    status = Unwritable(path, std::strerror(errno));
  }
  if (!status.ok()) unlink(part.c_str());
  return status;
}

}  // namespace

absl::StatusOr<Baseline> ReadBaseline(const std::string& path) {
  std::error_code error;
  const bool exists = fs::exists(path, error);
  if (error) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": ", error.message()));
  }
  if (!exists) return Baseline{};
  const absl::StatusOr<std::string> text = ReadFileBytes(path);
  if (!text.ok()) return text.status();
  if (HasConflictMarkers(*text)) {
    return absl::DataLossError(absl::StrCat(
        path,
        ": holds the conflict markers of a merge; take either side, "
        "then --update"));
  }
  absl::StatusOr<Baseline> baseline = ParseBaseline(*text);
  if (baseline.ok()) return baseline;
  return absl::Status(baseline.status().code(),
                      absl::StrCat(path, ": ", baseline.status().message()));
}

absl::Status CheckBaseline(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status)) {
    // A rename would put a file in the place of /dev/null.
    if (!fs::is_regular_file(status)) return Unwritable(path, "is no file");
    if (access(path.c_str(), W_OK) != 0) {
      return Unwritable(path, std::strerror(errno));
    }
  }
  const std::string folder = FolderOf(TargetOf(path));
  if (access(folder.c_str(), W_OK | X_OK) == 0) return absl::OkStatus();
  return Unwritable(path, absl::StrCat(folder, ": ", std::strerror(errno)));
}

absl::Status UpdateBaseline(const std::string& path, const std::string& program,
                            const std::map<std::string, BaselineRun>& runs) {
  const std::string target = TargetOf(path);
  const FolderLock lock(FolderOf(target));
  absl::StatusOr<Baseline> baseline = ReadBaseline(target);
  if (!baseline.ok()) return baseline.status();
  for (const auto& [gpu, run] : runs) (*baseline)[program][gpu] = run;
  return Replace(target, BaselineText(*baseline));
}

}  // namespace dltap::analyzer
