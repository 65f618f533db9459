// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_OTHER_PROCESS_H_
#define DLTAP_SIMGPU_BASE_OTHER_PROCESS_H_

#include <signal.h>
#include <sys/types.h>

#include <cerrno>

namespace dltap::simgpu {

// There is no such process any more; a zombie still counts as there.
inline bool HasEnded(pid_t pid) {
  const int program_errno = errno;
  const bool ended = kill(pid, 0) != 0 && errno == ESRCH;
  errno = program_errno;
  return ended;
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_OTHER_PROCESS_H_
