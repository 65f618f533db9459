// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_BLOCKED_SIGNALS_H_
#define DLTAP_SIMGPU_BASE_BLOCKED_SIGNALS_H_

#include <pthread.h>
#include <signal.h>

namespace dltap::simgpu {

// While it lives, the calling thread, and one that it makes, takes no signals:
// handlers are the program's. What an instruction raises is left as it was: a
// program that notices writes has protected the page, and its handler opens it.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t most;
    sigfillset(&most);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) {
      sigdelset(&most, fault);
    }
    pthread_sigmask(SIG_BLOCK, &most, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_BLOCKED_SIGNALS_H_
