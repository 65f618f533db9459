// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_LOADER_LOCK_H_
#define DLTAP_SHIM_TAP_ENTRY_LOADER_LOCK_H_

#include <pthread.h>

#include <cstdint>

namespace dltap::shim {

// A pthread_mutex_t of glibc's, as the loader uses it.
struct LoaderMutex {
  int32_t lock;
  uint32_t count;
  int32_t owner;
  uint32_t users;
  int32_t kind;
  uint32_t rest[5];

  bool IsRecursive() const { return kind == PTHREAD_MUTEX_RECURSIVE_NP; }
  bool IsHeldBy(int32_t thread) const {
    return lock != 0 && count >= 1 && owner == thread && users == 1 &&
           IsRecursive();
  }
};
static_assert(sizeof(LoaderMutex) == sizeof(pthread_mutex_t));

// Where the lock of the loader's list lies, once it was found.
void NoteListLock(LoaderMutex* lock);

// That lock was held by another thread when this process was forked, and stays
// so: the C library makes the loader's other locks anew in a child, but not
// this one. Whoever waits for it waits for ever. No lock.
bool ListLockIsLost();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_LOADER_LOCK_H_
