// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/work_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

constexpr char kLockName[] = ".lock";
constexpr auto kRest = std::chrono::hours(24);

// Which machine this is, since when: containers share names and pids.
std::string Boot() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  return {std::istreambuf_iterator<char>(file), {}};
}

bool Lock(int fd, int how) {
  int result = 0;
  do {
    result = flock(fd, how);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

// When something in the folder was written last, by the clock of whoever keeps
// its files.
fs::file_time_type LastWritten(const fs::path& folder) {
  std::error_code error;
  fs::file_time_type last = fs::last_write_time(folder, error);
  for (fs::recursive_directory_iterator it(folder, error), end;
       !error && it != end; it.increment(error)) {
    std::error_code gone;
    const fs::file_time_type at = it->last_write_time(gone);
    if (!gone) last = std::max(last, at);
  }
  return last;
}

bool IsRested(const fs::path& folder) {
  const auto now = fs::file_time_type::clock::now();
  return LastWritten(folder) + kRest < now;
}

// The lock goes last: what is left of a folder is found again.
void Remove(const fs::path& folder) {
  std::error_code error;
  RemoveWork(folder);
  fs::remove_all(folder, error);
}

void RemoveIfDead(const fs::path& folder, const std::string& boot) {
  const std::string path = folder / kLockName;
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return;
  if (Lock(fd, LOCK_EX | LOCK_NB)) {
    std::string owner(boot.size() + 1, '\0');
    const ssize_t length = read(fd, owner.data(), owner.size());
    owner.resize(static_cast<size_t>(std::max<ssize_t>(length, 0)));
    if ((!boot.empty() && owner == boot) || IsRested(folder)) Remove(folder);
  }
  close(fd);
}

}  // namespace

void RemoveWork(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code failed;
    if (it->path().filename() != kLockName) fs::remove_all(it->path(), failed);
  }
}

// Between the file and its lock another may come and remove both: whoever gets
// the lock then holds that of a file that is gone.
std::optional<WorkLock> WorkLock::Hold(const fs::path& folder) {
  const int fd =
      open((folder / kLockName).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0)
    return fs::exists(folder) ? std::optional(WorkLock(-1)) : std::nullopt;
  WorkLock lock(fd);
  Lock(fd, LOCK_EX);
  struct stat file = {};
  if (fstat(fd, &file) == 0 && file.st_nlink == 0) return std::nullopt;
  const std::string boot = Boot();
  // What is not written is taken for that of another machine.
  if (write(fd, boot.data(), boot.size()) < 0) errno = 0;
  return lock;
}

WorkLock::~WorkLock() { Release(); }

void WorkLock::Release() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

void RemoveDeadWork(const fs::path& dataset) {
  const std::string boot = Boot();
  std::error_code error;
  for (fs::directory_iterator it(dataset, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().filename().string().starts_with(kWorkPrefix)) {
      RemoveIfDead(it->path(), boot);
    }
  }
}

}  // namespace dltap::analyzer
