// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/framework_versions.h"

#include <dirent.h>
#include <fcntl.h>

#include <cstring>

#include "shim/tap/entry/loader_watch.h"
#include "shim/tap/runtime/input_file.h"

namespace dltap::shim {
namespace {

constexpr size_t kMaxLine = 4096 + 128;  // a path, and what stands before it
constexpr char kSuffix[] = ".dist-info";
// Of PEP 440, as folders' names spell it.
constexpr char kVersionCharacters[] =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.+!_";

// The lines of a file of any length; what a line has beyond kMaxLine is lost.
// No allocation.
class Lines {
 public:
  explicit Lines(const char* path) : file_(path, 0) {}

  bool is_open() const { return file_.fd() >= 0; }

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
      const ssize_t got = file_.Read(buffer_, sizeof(buffer_));
      if (got <= 0) return -1;
      filled_ = static_cast<size_t>(got);
      at_ = 0;
    }
    return static_cast<unsigned char>(buffer_[at_++]);
  }

  InputFile file_;
  size_t at_ = 0;
  size_t filled_ = 0;
  char line_[kMaxLine];
  char buffer_[4096];
};

// The entries of a folder. readdir() would allocate.
class Entries {
 public:
  explicit Entries(const char* folder) : file_(folder, O_DIRECTORY) {}

  // Null: no more.
  const char* Next() {
    if (at_ == filled_) {
      const ssize_t got = file_.ReadEntries(buffer_, sizeof(buffer_));
      if (got <= 0) return nullptr;
      filled_ = static_cast<size_t>(got);
      at_ = 0;
    }
    const auto* entry = reinterpret_cast<const dirent64*>(buffer_ + at_);
    at_ += entry->d_reclen;
    return entry->d_name;
  }

 private:
  InputFile file_;
  size_t at_ = 0;
  size_t filled_ = 0;
  alignas(dirent64) char buffer_[8192];
};

// Of several at one place, as an interrupted upgrade leaves them, nothing says
// which one is loaded.
void FindVersion(const char* packages, const char* distribution,
                 FrameworkVersion* out) {
  Entries entries(packages);
  bool is_found = false;
  while (const char* entry = entries.Next()) {
    char text[kMaxVersionText];
    if (!ReadVersion(entry, distribution, text, sizeof(text))) continue;
    if (is_found) {
      *out->text = '\0';
      return;
    }
    is_found = true;
    strcpy(out->text, text);
  }
}

bool EndsWith(const char* text, const char* end) {
  const size_t length = strlen(text);
  const size_t end_length = strlen(end);
  return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

// "7f00-7f10 r-xp 0 08:01 42   /usr/lib/python3/torch/lib/libtorch_cuda.so"
void LookAt(const char* line, FrameworkVersions* out) {
  const char* path = strchr(line, '/');
  const char* access = strchr(line, ' ');
  if (path == nullptr || access == nullptr) return;
  const bool runs = strlen(access) > 3 && access[3] == 'x';
  if (!runs) return;
  for (size_t i = 0; i < out->size(); ++i) {
    const trace::Framework& framework = trace::kFrameworks[i];
    if ((*out)[i].is_loaded) continue;
    const char* file = strstr(path, framework.file);
    if (file == nullptr) continue;
    (*out)[i].is_loaded = true;
    // Its package was replaced: the folder tells of another one.
    if (EndsWith(path, " (deleted)")) continue;
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

void FindFrameworks(FrameworkSearch* search) {
  const uint64_t loads = LoadsSoFar();
  if (loads != 0 && loads == search->loads) return;
  Lines lines("/proc/self/maps");
  if (lines.is_open()) search->loads = loads;
  while (const char* line = lines.Next()) LookAt(line, &search->found);
}

bool ReadVersion(const char* entry, const char* distribution, char* out,
                 size_t capacity) {
  const size_t name = strlen(distribution);
  if (strncmp(entry, distribution, name) != 0) return false;
  if (entry[name] != '-' && !IsVariant(entry + name)) return false;
  const char* version = strchr(entry + name, '-') + 1;
  if (*version < '0' || *version > '9' || !EndsWith(version, kSuffix)) {
    return false;
  }
  const size_t length = strlen(version) - strlen(kSuffix);
  if (length >= capacity) return false;
  if (strspn(version, kVersionCharacters) < length) return false;
  memcpy(out, version, length);
  out[length] = '\0';
  return true;
}

}  // namespace dltap::shim
