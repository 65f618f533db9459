// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/ring_leftovers.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

constexpr int kMostMoved = 16;

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

bool Copy(int from, int to) {
  struct stat status;
  if (fstat(from, &status) != 0) return false;
  off_t at = 0;
  while (at < status.st_size) {
    const ssize_t copied =
        sendfile(to, from, &at, static_cast<size_t>(status.st_size - at));
    if (copied < 0 && errno == EINTR) continue;
    if (copied <= 0) return false;
  }
  return true;
}

// False: it must stay where it is.
bool MoveBeside(int fd, const char* data_file) {
  if (*data_file == '\0') return true;
  char path[512];
  char unfinished[512];
  snprintf(path, sizeof(path), "%s.ring", data_file);
  snprintf(unfinished, sizeof(unfinished), "%s.ring.new", data_file);
  const int copy = CreateOwnFile(AT_FDCWD, unfinished);
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
  const bool gone = IsLeftover(fd, &header) &&
                    MoveBeside(fd, header.data_file) &&
                    unlinkat(directory, name, 0) == 0;
  close(fd);
  return gone;
}

}  // namespace

void MoveLeftoverRings() {
  int directory = open(kSharedMemory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  directory = MoveDescriptorUp(directory);
  alignas(DirectoryEntry) char entries[4096];
  int moved = 0;
  for (;;) {
    const long bytes =
        syscall(SYS_getdents64, directory, entries, sizeof(entries));
    if (bytes <= 0) break;
    for (long at = 0; at < bytes && moved < kMostMoved;) {
      const auto* entry = reinterpret_cast<DirectoryEntry*>(entries + at);
      moved += MoveOne(directory, entry->name) ? 1 : 0;
      at += entry->bytes;
    }
  }
  close(directory);
}

}  // namespace dltap::shim
