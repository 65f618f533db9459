// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace dltap::analyzer {

// A file of its own: NFS locks no folder, and none that is open for reading.
RunLock::RunLock(const std::filesystem::path& run)
    : fd_(open((run / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  while (fd_ >= 0 && flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

RunLock::~RunLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace dltap::analyzer
