// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/ring_rescue.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "analyzer/reader/trace_files.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

// A process as it knows itself: its pid, where it lives, and its start.
using Identity = std::pair<uint64_t, uint64_t>;
// In another time namespace it knows another start than we see.
constexpr uint64_t kAnyStart = ~uint64_t{0};

bool HasOurTime(const fs::path& process) {
  std::error_code error;
  const fs::path ours = fs::read_symlink("/proc/self/ns/time", error);
  if (error) return true;  // a kernel without them
  return fs::read_symlink(process / "ns/time", error) == ours;
}

// A process may end meanwhile, which a stream's iterator would throw.
std::string ReadAll(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The last number of "NSpid: 4711 1": of the innermost space of process ids.
uint64_t OwnPid(const std::string& status) {
  const size_t begin = status.find("\nNSpid:");
  if (begin == std::string::npos) return 0;
  std::istringstream line(status.substr(begin + 7));
  std::string numbers;
  std::getline(line, numbers);
  std::istringstream words(numbers);
  uint64_t pid = 0;
  for (uint64_t number; words >> number;) pid = number;
  return pid;
}

// Field 22 of a line whose second one, in parentheses, may hold anything.
uint64_t StartTime(const std::string& stat) {
  const size_t close = stat.rfind(')');
  if (close == std::string::npos) return 0;
  std::istringstream fields(stat.substr(close + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i) fields >> field;
  uint64_t start = 0;
  std::from_chars(field.data(), field.data() + field.size(), start);
  return start;
}

// Also in containers, whose processes have numbers of their own there.
std::set<Identity> LivingProcesses() {
  std::set<Identity> living;
  std::error_code error;
  fs::directory_iterator it("/proc", error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    living.emplace(OwnPid(ReadAll(it->path() / "status")),
                   HasOurTime(it->path())
                       ? StartTime(ReadAll(it->path() / "stat"))
                       : kAnyStart);
  }
  return living;
}

// A process that lives here, and of which a sandbox hides what is in /proc.
bool IsHidden(uint64_t pid) {
  const bool lives = kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH;
  const fs::path process = fs::path("/proc") / std::to_string(pid);
  return lives && StartTime(ReadAll(process / "stat")) == 0;
}

bool WriteAt(int fd, std::span<const uint8_t> bytes, off_t at) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(fd, bytes.data(), bytes.size(), at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
    at += written;
  }
  return true;
}

bool Replace(const fs::path& unfinished, const fs::path& target) {
  std::error_code error;
  fs::rename(unfinished, target, error);
  if (!error) return true;
  fs::remove(unfinished, error);
  return false;
}

// Whether the file that a data file names as its ring was moved.
bool Move(const MappedFile& ring, const fs::path& target) {
  std::error_code error;
  fs::path unfinished = target;
  unfinished += ".new";
  // Of several movers the others pass on; the lock of one that is killed goes
  // with it, what it has left is written anew.
  const int fd = open(ring.path().c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
  if (locked) fs::remove(unfinished, error);
  const bool done = locked && WriteRing(unfinished.string(), ring.bytes()) &&
                    Replace(unfinished, target) &&
                    fs::remove(ring.path(), error);
  close(fd);
  return done;
}

}  // namespace

bool WriteRing(const std::string& path, std::span<const uint8_t> bytes) {
  constexpr size_t kPart = 4096;
  const int fd =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  bool done = ftruncate(fd, static_cast<off_t>(bytes.size())) == 0;
  for (size_t at = 0; at < bytes.size() && done; at += kPart) {
    const auto part = bytes.subspan(at, std::min(kPart, bytes.size() - at));
    if (std::ranges::all_of(part, [](uint8_t byte) { return byte == 0; })) {
      continue;
    }
    done = WriteAt(fd, part, static_cast<off_t>(at));
  }
  done &= close(fd) == 0;
  if (!done) unlink(path.c_str());
  return done;
}

std::vector<std::string> RescueRings(const std::string& directory) {
  std::vector<std::string> moved;
  std::vector<std::string> problems;
  absl::StatusOr<std::vector<ProcessFiles>> processes =
      OpenTraceFiles({directory}, &problems);
  if (!processes.ok()) return moved;
  const std::set<Identity> living = LivingProcesses();
  for (const ProcessFiles& process : *processes) {
    if (process.data.empty()) continue;
    const trace::FileHeader& header = process.data[0].header;
    if (living.contains({header.pid, header.process_start_time}) ||
        living.contains({header.pid, kAnyStart}) || IsHidden(header.pid)) {
      continue;
    }
    const fs::path folder = fs::path(process.data[0].file.path()).parent_path();
    for (const TraceFile& file : process.rings) {
      const fs::path ring = file.file.path();
      std::string name = ring.filename().string();
      if (ring.parent_path() == folder || !name.starts_with("dltap-")) continue;
      const fs::path target = folder / name.substr(6);
      if (Move(file.file, target)) moved.push_back(target.string());
    }
  }
  return moved;
}

}  // namespace dltap::analyzer
