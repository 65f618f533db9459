// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "shim/trace/checksum.h"

namespace dltap::shim {
namespace {

// statfs f_type: NFS, SMB, SMB2, CIFS, FUSE, Lustre, GPFS, BeeGFS, Ceph, AFS,
// 9P, OCFS2, GFS2, OrangeFS.
constexpr uint32_t kNetworkFileSystems[] = {
    0x6969,     0x517B,     0xFE534D42, 0xFF534D42, 0x65735546,
    0x0BD00BD0, 0x47504653, 0x19830326, 0x00C36400, 0x5346414F,
    0x01021997, 0x7461636F, 0x01161970, 0x20030528};

constexpr int kLowestDescriptor = 800;

}  // namespace

int MoveDescriptorUp(int fd) {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return fd;
  const int lowest = limit.rlim_cur > kLowestDescriptor + 64
                         ? kLowestDescriptor
                         : static_cast<int>(limit.rlim_cur) / 2;
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, lowest);
  if (moved < 0) return fd;
  close(fd);
  return moved;
}

bool IsAmongThePrograms(int fd) { return fd < kLowestDescriptor; }

int CreateOwnFile(int dir_fd, const char* name) {
  const int fd = openat(
      dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  return fd < 0 ? fd : MoveDescriptorUp(fd);
}

int CreateNamelessFile(const char* folder) {
  const int fd = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
  return fd < 0 ? fd : MoveDescriptorUp(fd);
}

namespace {

// A mapping of a hole is a SIGBUS to the program when the disk is full.
int WriteZeros(int fd, uint64_t offset, uint64_t bytes) {
  static constexpr char kZeros[4096] = {};
  while (bytes > 0) {
    const size_t part = bytes < sizeof(kZeros) ? bytes : sizeof(kZeros);
    const ssize_t written =
        pwrite(fd, kZeros, part, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    offset += static_cast<uint64_t>(written);
    bytes -= static_cast<uint64_t>(written);
  }
  return 0;
}

}  // namespace

uint64_t FileSizeLimit() {
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return ~uint64_t{0};
  return limit.rlim_cur == RLIM_INFINITY ? ~uint64_t{0} : limit.rlim_cur;
}

int AllocateBytes(int fd, uint64_t offset, uint64_t bytes, bool extend) {
  if (offset + bytes > FileSizeLimit()) return EFBIG;
  int result;
  do {
    result = fallocate(fd, extend ? 0 : FALLOC_FL_KEEP_SIZE,
                       static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result == 0) return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EPERM) return errno;
  return extend ? WriteZeros(fd, offset, bytes) : 0;
}

uint64_t InodeOf(const struct stat& status) {
  return static_cast<uint64_t>(status.st_ino) ^
         (static_cast<uint64_t>(status.st_dev) << 48);
}

uint64_t InodeOf(int fd) {
  struct stat status;
  if (fd < 0 || fstat(fd, &status) != 0) return 0;
  return InodeOf(status);
}

void CloseIfOwn(int* fd, uint64_t inode) {
  if (*fd >= 0 && InodeOf(*fd) == inode) close(*fd);
  *fd = -1;
}

uint32_t PidNamespace() {
  char self[16] = {};
  // A /proc of another space names us otherwise.
  if (readlink("/proc/self", self, sizeof(self) - 1) <= 0 ||
      strtoul(self, nullptr, 10) != static_cast<unsigned long>(getpid())) {
    return 0;
  }
  struct stat status;
  if (stat("/proc/self/ns/pid", &status) != 0) return 0;
  return static_cast<uint32_t>(status.st_ino);
}

// Two roots may be one directory, mounted twice, with other things mounted in
// it: from Linux 5.8 on the mount is told.
uint32_t FileSpace() {
  struct stat space;
  struct statx root;
  if (stat("/proc/thread-self/ns/mnt", &space) != 0 ||
      statx(AT_FDCWD, "/", 0, STATX_INO | STATX_MNT_ID, &root) != 0) {
    return 0;
  }
  const bool has_mount = (root.stx_mask & STATX_MNT_ID) != 0;
  const uint64_t id[] = {space.st_ino, root.stx_ino,
                         makedev(root.stx_dev_major, root.stx_dev_minor),
                         has_mount ? root.stx_mnt_id : 0};
  const auto hash = static_cast<uint32_t>(XXH3_64bits(id, sizeof(id)));
  return hash != 0 ? hash : 1;
}

bool IsNetworkFileSystem(int dir_fd) {
  struct statfs status;
  if (fstatfs(dir_fd, &status) != 0) return false;
  for (const uint32_t type : kNetworkFileSystems) {
    if (static_cast<uint32_t>(status.f_type) == type) return true;
  }
  return false;
}

}  // namespace dltap::shim
