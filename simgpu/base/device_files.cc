// SPDX-License-Identifier: Apache-2.0
// The driver's device files, for programs that look for them before they try
// CUDA (JAX does): while a GPU is simulated, /dev/nvidiactl and one
// /dev/nvidiaN for each GPU exist, as far as stat() and access() say. They
// cannot be opened. Like _exit() in exit_report.cc, seen where this library is
// preloaded itself.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string_view>

#include "simgpu/base/config.h"

namespace dltap::simgpu {
namespace {

constexpr char kStandIn[] = "/dev/null";  // a character device, open to all
// "Nvidia graphics devices" of the kernel's list of device numbers.
constexpr unsigned kNvidiaMajor = 195;
constexpr unsigned kControlMinor = 255;

// The minor number of a simulated device file; -1: the path is none.
int SimulatedMinor(const char* path) {
  constexpr std::string_view kPrefix = "/dev/nvidia";
  const std::string_view name = path == nullptr ? "" : path;
  if (!name.starts_with(kPrefix) || !SimulationEnabled()) return -1;
  const std::string_view rest = name.substr(kPrefix.size());
  if (rest == "ctl") return kControlMinor;
  int device = -1;
  const char* end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data(), end, device);
  const bool is_number = error == std::errc() && stop == end;
  return is_number && device < GetConfig().device_count ? device : -1;
}

// System calls, not the C library's next definition: these functions are called
// before anything can be looked up.
int RealStat(const char* path, struct stat* status) {
  return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, status, 0));
}

int Stat(const char* path, struct stat* status) {
  const int saved_errno = errno;
  const int result = RealStat(path, status);
  if (result == 0 || errno != ENOENT) return result;
  const int minor = SimulatedMinor(path);
  if (minor < 0 || RealStat(kStandIn, status) != 0) {
    errno = ENOENT;
    return -1;
  }
  status->st_rdev = makedev(kNvidiaMajor, static_cast<unsigned>(minor));
  errno = saved_errno;
  return 0;
}

int Access(const char* path, int mode) {
  const int saved_errno = errno;
  const auto result =
      static_cast<int>(syscall(SYS_faccessat, AT_FDCWD, path, mode));
  if (result == 0 || errno != ENOENT || SimulatedMinor(path) < 0) {
    return result;
  }
  errno = saved_errno;
  return 0;
}

}  // namespace
}  // namespace dltap::simgpu

#ifdef __x86_64__
// struct stat is struct stat64 there. __xstat: programs built before
// glibc 2.33.
#define SIMGPU_LIBC extern "C" [[gnu::visibility("default")]]
struct stat64;

SIMGPU_LIBC int stat(const char* path, struct stat* status) noexcept {
  return dltap::simgpu::Stat(path, status);
}

SIMGPU_LIBC int stat64(const char* path, struct stat64* status) noexcept {
  return dltap::simgpu::Stat(path, reinterpret_cast<struct stat*>(status));
}

SIMGPU_LIBC int __xstat(int, const char* path, struct stat* status) {
  return dltap::simgpu::Stat(path, status);
}

SIMGPU_LIBC int __xstat64(int, const char* path, struct stat* status) {
  return dltap::simgpu::Stat(path, status);
}

SIMGPU_LIBC int access(const char* path, int mode) noexcept {
  return dltap::simgpu::Access(path, mode);
}
#endif
