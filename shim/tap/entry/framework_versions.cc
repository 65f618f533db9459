// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/framework_versions.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace dltap::shim {
namespace {

constexpr size_t kMaxLine = 4096 + 128;  // a path, and what stands before it

// The lines of a file of any length; what a line has beyond kMaxLine is lost.
// No allocation.
class Lines {
 public:
  explicit Lines(const char* path) : fd_(open(path, O_RDONLY | O_CLOEXEC)) {}
  ~Lines() {
    if (fd_ >= 0) close(fd_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  // Null: no more.
  const char* Next() {
    size_t length = 0;
    int c = 0;
    while ((c = NextByte()) >= 0 && c != '\n') {
      if (length + 1 < sizeof(line_)) line_[length++] = static_cast<char>(c);
    }
    line_[length] = '\0';
    return c < 0 && length == 0 ? nullptr : line_;
  }

 private:
  int NextByte() {
    if (at_ == filled_) {
      const ssize_t got = fd_ < 0 ? 0 : read(fd_, buffer_, sizeof(buffer_));
      if (got <= 0) return -1;
      filled_ = static_cast<size_t>(got);
      at_ = 0;
    }
    return static_cast<unsigned char>(buffer_[at_++]);
  }

  int fd_;
  size_t at_ = 0;
  size_t filled_ = 0;
  char line_[kMaxLine];
  char buffer_[4096];
};

// The entries of a folder. readdir() would allocate.
class Entries {
 public:
  explicit Entries(const char* folder)
      : fd_(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}
  ~Entries() {
    if (fd_ >= 0) close(fd_);
  }
  Entries(const Entries&) = delete;
  Entries& operator=(const Entries&) = delete;

  // Null: no more.
  const char* Next() {
    if (at_ == filled_) {
      const long got =
          fd_ < 0 ? 0 : syscall(SYS_getdents64, fd_, buffer_, sizeof(buffer_));
      if (got <= 0) return nullptr;
      filled_ = static_cast<size_t>(got);
      at_ = 0;
    }
    const auto* entry = reinterpret_cast<const dirent64*>(buffer_ + at_);
    at_ += entry->d_reclen;
    return entry->d_name;
  }

 private:
  int fd_;
  size_t at_ = 0;
  size_t filled_ = 0;
  alignas(dirent64) char buffer_[8192];
};

// Of several installed at one place, as an interrupted upgrade leaves them, any
// one.
void FindVersion(const char* packages, const char* distribution,
                 FrameworkVersion* out) {
  Entries entries(packages);
  while (const char* entry = entries.Next()) {
    if (ReadVersion(entry, distribution, out->text, sizeof(out->text))) return;
  }
}

// "7f00-7f10 r-xp 0 08:01 42   /usr/lib/python3/torch/lib/libtorch_cuda.so"
void LookAt(const char* line, FrameworkVersions* out) {
  const char* path = strchr(line, '/');
  if (path == nullptr) return;
  for (size_t i = 0; i < out->size(); ++i) {
    const trace::Framework& framework = trace::kFrameworks[i];
    if ((*out)[i].is_loaded) continue;
    const char* file = strstr(path, framework.file);
    if (file == nullptr) continue;
    (*out)[i].is_loaded = true;
    char packages[kMaxLine];
    const auto length = static_cast<size_t>(file - path);
    memcpy(packages, path, length);
    packages[length] = '\0';
    FindVersion(packages, framework.distribution, &(*out)[i]);
  }
}

// What a wheel for one kind of machine adds to its name: "_gpu", "_cu112".
bool IsVariant(const char* suffix) {
  if (strncmp(suffix, "_gpu-", 5) == 0) return true;
  if (strncmp(suffix, "_cu", 3) != 0) return false;
  const size_t digits = strspn(suffix + 3, "0123456789");
  return digits > 0 && suffix[3 + digits] == '-';
}

}  // namespace

void FindFrameworks(FrameworkVersions* out) {
  *out = {};
  Lines lines("/proc/self/maps");
  while (const char* line = lines.Next()) LookAt(line, out);
}

bool ReadVersion(const char* entry, const char* distribution, char* out,
                 size_t capacity) {
  const size_t name = strlen(distribution);
  if (strncmp(entry, distribution, name) != 0) return false;
  if (entry[name] != '-' && !IsVariant(entry + name)) return false;
  const char* version = strchr(entry + name, '-') + 1;
  const char* end = strstr(version, ".dist-info");
  if (end == nullptr || *version < '0' || *version > '9') return false;
  const auto length = static_cast<size_t>(end - version);
  if (length >= capacity) return false;
  memcpy(out, version, length);
  out[length] = '\0';
  return true;
}

}  // namespace dltap::shim
