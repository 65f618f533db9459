// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/log.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

namespace dltap::shim {
namespace {

constinit std::atomic<LogLevel> g_level{LogLevel::kWarning};

}  // namespace

void SetLogLevel(LogLevel level) {
  g_level.store(level, std::memory_order_relaxed);
}

LogLevel CurrentLogLevel() { return g_level.load(std::memory_order_relaxed); }

void Log(LogLevel level, const char* format, ...) {
  if (level > CurrentLogLevel()) return;
  const int saved_errno = errno;
  char line[512] = "dltap: ";
  constexpr int kPrefix = 7;
  constexpr int kRoom = static_cast<int>(sizeof(line)) - kPrefix - 1;
  va_list args;
  va_start(args, format);
  int length = vsnprintf(line + kPrefix, kRoom, format, args);
  va_end(args);
  if (length > kRoom - 1) length = kRoom - 1;
  if (length >= 0) {
    line[kPrefix + length] = '\n';
    [[maybe_unused]] const ssize_t written =
        write(STDERR_FILENO, line, static_cast<size_t>(kPrefix + length + 1));
  }
  errno = saved_errno;
}

}  // namespace dltap::shim
