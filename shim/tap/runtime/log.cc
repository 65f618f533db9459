// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/log.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/program_state.h"

namespace dltap::shim {
namespace {

constexpr int kLineBytes = 512;
constexpr int kWaitingLines = 8;

// A line of a thread that may not write it.
enum class Place : uint32_t { kFree = 0, kTaken = 1, kReady = 2 };
struct WaitingLine {
  std::atomic<Place> place{Place::kFree};
  pid_t pid = 0;  // a forked child leaves its parent's lines alone
  int length = 0;
  char text[kLineBytes] = {};
};

constinit std::atomic<LogLevel> g_level{LogLevel::kWarning};
constinit WaitingLine g_waiting[kWaitingLines];

// What stderr was when the program began.
[[gnu::section("dltap_at_load")]] constinit dev_t g_stderr_device = 0;
[[gnu::section("dltap_at_load")]] constinit ino_t g_stderr_inode = 0;
[[gnu::section("dltap_at_load")]] constinit bool g_stderr_was_open = false;

[[gnu::constructor]] void NoteStderr() {
  const int saved_errno = errno;
  struct stat status;
  g_stderr_was_open = fstat(STDERR_FILENO, &status) == 0;
  if (g_stderr_was_open) {
    g_stderr_device = status.st_dev;
    g_stderr_inode = status.st_ino;
  }
  errno = saved_errno;
}

// Not closed and reused for a file of the program's, and a pipe with room.
bool StderrTakesLines() {
  struct stat status;
  if (!g_stderr_was_open || fstat(STDERR_FILENO, &status) != 0 ||
      status.st_dev != g_stderr_device || status.st_ino != g_stderr_inode) {
    return false;
  }
  pollfd state = {STDERR_FILENO, POLLOUT, 0};
  return poll(&state, 1, 0) == 1 && (state.revents & POLLOUT) != 0;
}

void WriteLine(const char* text, int length) {
  if (!StderrTakesLines()) return;
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, text, static_cast<size_t>(length));
}

WaitingLine* TakePlace() {
  for (WaitingLine& line : g_waiting) {
    Place free = Place::kFree;
    if (line.place.compare_exchange_strong(free, Place::kTaken)) return &line;
  }
  return nullptr;
}

int Format(char* line, const char* format, va_list args) {
  const int prefix = snprintf(line, kLineBytes, "dltap: ");
  int length = vsnprintf(
      line + prefix, static_cast<size_t>(kLineBytes - prefix), format, args);
  if (length < 0) return 0;
  length += prefix;
  if (length > kLineBytes - 1) length = kLineBytes - 1;
  line[length] = '\n';
  return length + 1;
}

}  // namespace

void SetLogLevel(LogLevel level) {
  g_level.store(level, std::memory_order_relaxed);
}

LogLevel CurrentLogLevel() { return g_level.load(std::memory_order_relaxed); }

void Log(LogLevel level, const char* format, ...) {
  if (level > CurrentLogLevel()) return;
  const int saved_errno = errno;
  va_list args;
  va_start(args, format);
  if (static_cast<uint32_t>(gettid()) == g_process.collector_tid.load()) {
    char line[kLineBytes];
    WriteLine(line, Format(line, format, args));
  } else if (WaitingLine* line = TakePlace(); line != nullptr) {
    line->pid = getpid();
    line->length = Format(line->text, format, args);
    line->place.store(Place::kReady, std::memory_order_release);
  }
  va_end(args);
  errno = saved_errno;
}

void WriteWaitingLines() {
  for (WaitingLine& line : g_waiting) {
    Place ready = Place::kReady;
    if (!line.place.compare_exchange_strong(ready, Place::kTaken)) continue;
    if (line.pid == getpid()) WriteLine(line.text, line.length);
    line.place.store(Place::kFree, std::memory_order_release);
  }
}

void WriteWaitingLinesAtExit() {
  const TurnInPlaceGuard guard;
  WriteWaitingLines();
}

}  // namespace dltap::shim
