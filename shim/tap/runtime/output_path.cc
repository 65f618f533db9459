// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/output_path.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "shim/specs/launchers.h"
#include "shim/tap/runtime/config.h"

namespace dltap::shim {
namespace {

// Appends to a fixed buffer; remembers when something did not fit.
class PathWriter {
 public:
  explicit PathWriter(std::span<char> path) : path_(path) {}

  void Put(char c) {
    if (length_ + 1 >= path_.size()) {
      fits_ = false;
      return;
    }
    path_[length_++] = c;
  }

  void PutValue(const char* text) {
    for (; *text != '\0'; ++text) Put(*text == '/' ? '_' : *text);
  }

  void PutNumber(int number) {
    char digits[16];
    snprintf(digits, sizeof(digits), "%d", number);
    PutValue(digits);
  }

  bool Finish() {
    if (length_ >= path_.size()) return false;
    path_[length_] = '\0';
    return fits_ && length_ > 0;
  }

 private:
  std::span<char> path_;
  size_t length_ = 0;
  bool fits_ = true;
};

// Handles "{NAME}" after %q. Returns the text after it, nullptr if malformed.
const char* PutVariable(const char* text, const OutputNames& names,
                        PathWriter* out) {
  const char* end = *text == '{' ? strchr(text, '}') : nullptr;
  char name[128];
  if (end == nullptr || end - text > static_cast<ptrdiff_t>(sizeof(name))) {
    return nullptr;
  }
  const size_t length = static_cast<size_t>(end - text - 1);
  memcpy(name, text + 1, length);
  name[length] = '\0';
  const char* value = FindVariable(names.environment, name);
  if (value != nullptr) out->PutValue(value);
  return end + 1;
}

// Handles one letter after '%'. Returns the text after it, nullptr if unknown.
const char* PutLetter(const char* text, const OutputNames& names,
                      PathWriter* out) {
  switch (*text) {
    case 'h': out->PutValue(names.machine); return text + 1;
    case 'p': out->PutNumber(names.pid); return text + 1;
    case 'r': {
      const char* rank = FindRank(names.environment);
      out->PutValue(rank != nullptr ? rank : "0");
      return text + 1;
    }
    case 'q': return PutVariable(text + 1, names, out);
    case '%': out->Put('%'); return text + 1;
    default: return nullptr;
  }
}

}  // namespace

const char* FindRank(const char* const* environment) {
  for (const specs::Launcher& launcher : specs::kLaunchers) {
    const char* rank = FindVariable(environment, launcher.rank);
    if (rank != nullptr && *rank != '\0') return rank;
  }
  return nullptr;
}

bool IsNamedIn(const char* pattern, const char* variable) {
  const char* equals = strchr(variable, '=');
  if (pattern == nullptr || equals == nullptr) return false;
  const auto length = static_cast<size_t>(equals - variable);
  for (;;) {
    pattern = strstr(pattern, "%q{");
    if (pattern == nullptr) return false;
    pattern += strlen("%q{");
    if (strncmp(pattern, variable, length) == 0 && pattern[length] == '}') {
      return true;
    }
  }
}

bool ExpandOutput(const char* pattern, const OutputNames& names,
                  std::span<char> path) {
  PathWriter out(path);
  if (pattern == nullptr || *pattern == '\0') {
    out.PutValue("dltap-");
    out.PutValue(names.program);
    out.Put('-');
    out.PutNumber(names.pid);
    return out.Finish();
  }
  while (*pattern != '\0') {
    if (*pattern != '%') {
      out.Put(*pattern++);
      continue;
    }
    pattern = PutLetter(pattern + 1, names, &out);
    if (pattern == nullptr) return false;
  }
  return out.Finish();
}

int MakeDirectories(const char* path) {
  char partial[kMaxPathBytes];
  const size_t length = strlen(path);
  if (length == 0 || length >= sizeof(partial)) return ENAMETOOLONG;
  memcpy(partial, path, length + 1);
  for (size_t i = 1; i < length; ++i) {
    if (partial[i] != '/') continue;
    partial[i] = '\0';
    if (mkdir(partial, 0700) != 0 && errno != EEXIST) return errno;
    partial[i] = '/';
  }
  if (mkdir(partial, 0700) != 0 && errno != EEXIST) return errno;
  return 0;
}

}  // namespace dltap::shim
