// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_DIRECTORY_H_
#define DLTAP_SHIM_TAP_RUNTIME_DIRECTORY_H_

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace dltap::shim {

// As the kernel's getdents64 writes it; readdir() allocates.
struct DirectoryEntry {
  uint64_t inode;
  int64_t offset;
  uint16_t bytes;
  uint8_t type;
  char name[];
};

// Calls visit(name) for the entries of an open directory, in the kernel's
// order, until it returns false.
template <typename Visit>
void VisitDirectory(int directory, Visit visit) {
  alignas(DirectoryEntry) char entries[4096];
  for (;;) {
    const long bytes =
        syscall(SYS_getdents64, directory, entries, sizeof(entries));
    if (bytes <= 0) return;
    for (long at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<DirectoryEntry*>(entries + at);
      if (!visit(entry->name)) return;
      at += entry->bytes;
    }
  }
}

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_DIRECTORY_H_
