// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_WORK_LOCK_H_
#define DLTAP_ANALYZER_EXPORTERS_WORK_LOCK_H_

#include <filesystem>
#include <optional>
#include <utility>

namespace dltap::analyzer {

// Tells others that the owner of a work folder lives: a lock on a file in it,
// which the kernel gives back when the owner dies.
class WorkLock {
 public:
  // nullopt: somebody took the folder for a dead one's before it was locked.
  // On a file system without locks nothing is held.
  static std::optional<WorkLock> Hold(const std::filesystem::path& folder);
  ~WorkLock();
  WorkLock(WorkLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  WorkLock(const WorkLock&) = delete;
  WorkLock& operator=(const WorkLock&) = delete;
  WorkLock& operator=(WorkLock&&) = delete;

  // Before the folder is removed: NFS keeps open files.
  void Release();

 private:
  explicit WorkLock(int fd) : fd_(fd) {}
  int fd_;  // -1: none
};

// All in the folder but its lock, which the caller holds.
void RemoveWork(const std::filesystem::path& folder);

// Removes the work folders in `dataset` whose owners are dead: their locks are
// free. Of an owner on another machine, whose locks a file system may not show
// here, the folder must have rested for a day as well. One that has no lock
// file is left alone.
void RemoveDeadWork(const std::filesystem::path& dataset);

inline constexpr char kWorkPrefix[] = ".pack-";

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_WORK_LOCK_H_
