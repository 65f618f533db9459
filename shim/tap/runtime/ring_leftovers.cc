// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/ring_leftovers.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/directory.h"
#include "shim/tap/runtime/files.h"
#include "shim/tap/runtime/process_info.h"
#include "shim/tap/runtime/ring_file.h"

namespace dltap::shim {
namespace {

constexpr time_t kLongAgoS = 60;
constexpr time_t kDayS = time_t{24} * 60 * 60;
// Of a file that was seen to be left behind, at the time of its last change:
// what its process writes into a mapping leaves that as it was.
constexpr mode_t kSeenLeft = 0400;

time_t NowS() { return static_cast<time_t>(RealtimeNs() / 1'000'000'000); }

// When a process started is told by the clock of the time namespace of whoever
// asks. False also where it cannot be seen.
bool HasOurTime(uint64_t pid) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%llu/ns/time",
           static_cast<unsigned long long>(pid));
  struct stat its, ours;
  if (stat("/proc/self/ns/time", &ours) != 0) return true;  // before 5.6
  return stat(path, &its) == 0 && its.st_ino == ours.st_ino;
}

// A sandbox may hide what is in /proc of a process that lives.
bool HasNobody(uint64_t pid) {
  return kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
}

// REQUIRES: `header` is of a process of this pid namespace.
bool IsGone(const trace::FileHeader& header) {
  if (header.pid == static_cast<uint64_t>(getpid())) return true;  // exec
  const uint64_t start = StartTimeOf(header.pid);
  if (start == 0) return HasNobody(header.pid);
  return start != header.process_start_time && HasOurTime(header.pid);
}

bool IsLeftover(int fd, trace::RingFileHeader* header) {
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != geteuid()) {
    return false;
  }
  *header = {};
  if (pread(fd, header, sizeof(*header), 0) < 0) return false;
  if (header->file.magic[0] == 0) {  // killed before it was one
    header->data_file[0] = '\0';
    return NowS() - status.st_mtime > kLongAgoS;
  }
  if (memcmp(header->file.magic, trace::kFileMagic,
             sizeof(trace::kFileMagic)) != 0 ||
      header->data_file[sizeof(header->data_file) - 1] != '\0') {
    return false;
  }
  const uint32_t space = PidNamespace();
  if (space == 0 || header->pid_namespace != space) return false;
  return IsGone(header->file);
}

// Whether the path that it names is one of ours. In another container, or under
// another root, the trace may well be there: its readers find the ring here,
// for a day from when it was first met.
bool IsOurs(int fd, const trace::RingFileHeader& header) {
  if (header.data_file[0] != '/') return true;  // names none, or none anywhere
  const uint32_t space = FileSpace();
  if (space != 0 && header.file_space == space) return true;
  struct stat status;
  if (fstat(fd, &status) != 0) return false;
  if ((status.st_mode & 0777) == kSeenLeft) {
    return NowS() - status.st_mtime > kDayS;
  }
  futimens(fd, nullptr);
  fchmod(fd, kSeenLeft);
  return false;
}

// Asked once its process is known to be gone: one that ends properly removes
// its file last, perhaps after it was opened here. A mover does, too.
bool IsStillThere(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 && status.st_nlink != 0;
}

bool WritePart(int fd, const char* part, size_t bytes, off_t at) {
  while (bytes > 0) {
    const ssize_t written = pwrite(fd, part, bytes, at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    part += written;
    bytes -= static_cast<size_t>(written);
    at += written;
  }
  return true;
}

// Most of a ring file was never written to: that takes no space.
bool Copy(int from, int to) {
  constexpr char kZeros[4096] = {};
  char part[sizeof(kZeros)];
  off_t at = 0;
  for (;;) {
    const ssize_t got = pread(from, part, sizeof(part), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) return ftruncate(to, at) == 0;
    const auto bytes = static_cast<size_t>(got);
    const bool is_zero = memcmp(part, kZeros, bytes) == 0;
    if (!is_zero && !WritePart(to, part, bytes, at)) return false;
    at += got;
  }
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
  if (*data_file != '/') return false;  // nobody knows where
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

// Whose name it is does not say what it is: opening a pipe would wait for ever.
bool MoveOne(int directory, const char* name) {
  const int fd =
      openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  trace::RingFileHeader header;
  // Of two movers one passes on; the lock of one that is killed goes with it.
  const bool gone = flock(fd, LOCK_EX | LOCK_NB) == 0 &&
                    IsLeftover(fd, &header) && IsStillThere(fd) &&
                    IsOurs(fd, header) && MoveBeside(fd, header.data_file) &&
                    unlinkat(directory, name, 0) == 0;
  close(fd);
  return gone;
}

bool IsRingName(const char* name) {
  constexpr char kPrefix[] = "dltap-";
  const size_t length = strlen(name);
  return strncmp(name, kPrefix, sizeof(kPrefix) - 1) == 0 && length >= 5 &&
         strcmp(name + length - 5, ".ring") == 0;
}

const char* NameIn(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

}  // namespace

bool MoveLeftoverRing(const char* path) { return MoveOne(AT_FDCWD, path); }

bool ManyMayBeLeft() {
  constexpr uint64_t kMany = 64;
  struct statfs status;
  if (statfs(kSharedMemory, &status) != 0) return false;
  return status.f_files == 0 || status.f_files - status.f_ffree > kMany;
}

void MoveLeftoverRings(const char* own, int most) {
  int directory = open(kSharedMemory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  directory = MoveDescriptorUp(directory);
  int moved = 0;
  VisitDirectory(directory, [&](const char* name) {
    const bool is_other = IsRingName(name) && strcmp(name, NameIn(own)) != 0;
    moved += is_other && MoveOne(directory, name) ? 1 : 0;
    return moved < most;
  });
  close(directory);
}

}  // namespace dltap::shim
