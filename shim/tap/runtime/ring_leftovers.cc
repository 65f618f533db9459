// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/ring_leftovers.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "shim/tap/runtime/files.h"
#include "shim/tap/runtime/process_info.h"
#include "shim/tap/runtime/ring_file.h"

namespace dltap::shim {
namespace {

constexpr size_t kPageBytes = 4096;

// As the kernel's getdents64 writes it; readdir() allocates.
struct DirectoryEntry {
  uint64_t inode;
  int64_t offset;
  uint16_t bytes;
  uint8_t type;
  char name[];
};

bool IsLeftover(int fd, trace::RingFileHeader* header) {
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_nlink == 0 ||  // moved meanwhile
      status.st_uid != geteuid() ||
      pread(fd, header, sizeof(*header), 0) != sizeof(*header)) {
    return false;
  }
  if (header->file.magic[0] == 0) {  // killed before it was one
    constexpr time_t kLongAgoS = 60;
    header->data_file[0] = '\0';
    return time(nullptr) - status.st_mtime > kLongAgoS;
  }
  if (memcmp(header->file.magic, trace::kFileMagic,
             sizeof(trace::kFileMagic)) != 0 ||
      header->data_file[sizeof(header->data_file) - 1] != '\0') {
    return false;
  }
  const uint32_t space = PidNamespace();
  return space != 0 && header->pid_namespace == space &&
         StartTimeOf(header->file.pid) != header->file.process_start_time;
}

// Most of a ring file is rings that nobody has used: zeros, not copied.
bool Copy(int from, int to) {
  static constexpr uint8_t kZeros[kPageBytes] = {};
  struct stat status;
  if (fstat(from, &status) != 0 || ftruncate(to, status.st_size) != 0) {
    return false;
  }
  uint8_t page[kPageBytes];
  for (off_t at = 0; at < status.st_size; at += kPageBytes) {
    const ssize_t bytes = pread(from, page, sizeof(page), at);
    if (bytes <= 0) return false;
    const auto count = static_cast<size_t>(bytes);
    if (memcmp(page, kZeros, count) == 0) continue;
    if (pwrite(to, page, count, at) != bytes) return false;
  }
  return true;
}

// One that a killed mover has left is made anew; the caller has the lock.
int CreateCopy(const char* path) {
  const int fd = CreateOwnFile(AT_FDCWD, path);
  if (fd >= 0 || errno != EEXIST || unlink(path) != 0) return fd;
  return CreateOwnFile(AT_FDCWD, path);
}

// False: it must stay where it is.
bool MoveBeside(int fd, const char* data_file) {
  if (*data_file == '\0') return true;
  char path[512];
  char unfinished[512];
  snprintf(path, sizeof(path), "%s.ring", data_file);
  snprintf(unfinished, sizeof(unfinished), "%s.ring.new", data_file);
  const int copy = CreateCopy(unfinished);
  if (copy < 0) return errno == ENOENT || errno == ENOTDIR;
  const bool done = Copy(fd, copy) && rename(unfinished, path) == 0;
  close(copy);
  if (!done) unlink(unfinished);
  return done;
}

bool MoveOne(int directory, const char* name) {
  constexpr char kPrefix[] = "dltap-";
  const size_t length = strlen(name);
  if (strncmp(name, kPrefix, sizeof(kPrefix) - 1) != 0 || length < 5 ||
      strcmp(name + length - 5, ".ring") != 0) {
    return false;
  }
  const int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  trace::RingFileHeader header;
  // Of two movers one passes on; the lock of one that is killed goes with it.
  const bool gone =
      flock(fd, LOCK_EX | LOCK_NB) == 0 && IsLeftover(fd, &header) &&
      MoveBeside(fd, header.data_file) && unlinkat(directory, name, 0) == 0;
  close(fd);
  return gone;
}

}  // namespace

bool ManyMayBeLeft() {
  constexpr uint64_t kMany = 64;
  struct statfs status;
  if (statfs(kSharedMemory, &status) != 0) return false;
  return status.f_files == 0 || status.f_files - status.f_ffree > kMany;
}

void MoveLeftoverRings(int most) {
  int directory = open(kSharedMemory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  directory = MoveDescriptorUp(directory);
  alignas(DirectoryEntry) char entries[4096];
  int moved = 0;
  for (;;) {
    const long bytes =
        syscall(SYS_getdents64, directory, entries, sizeof(entries));
    if (bytes <= 0) break;
    for (long at = 0; at < bytes && moved < most;) {
      const auto* entry = reinterpret_cast<DirectoryEntry*>(entries + at);
      moved += MoveOne(directory, entry->name) ? 1 : 0;
      at += entry->bytes;
    }
  }
  close(directory);
}

}  // namespace dltap::shim
