// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/ring_rescue.h"

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>

#include "analyzer/reader/trace_files.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

// Whether the file that a data file names as its ring was moved.
bool Move(const fs::path& ring, const fs::path& target) {
  std::error_code error;
  fs::path unfinished = target;
  unfinished += ".new";
  // One that a killed mover has left is written anew.
  if (!fs::copy_file(ring, unfinished, fs::copy_options::overwrite_existing,
                     error)) {
    return false;
  }
  fs::rename(unfinished, target, error);
  if (error) {
    fs::remove(unfinished, error);
    return false;
  }
  return fs::remove(ring, error);
}

}  // namespace

std::vector<std::string> RescueRings(const std::string& directory) {
  std::vector<std::string> moved;
  std::vector<std::string> problems;
  absl::StatusOr<std::vector<ProcessFiles>> processes =
      OpenTraceFiles({directory}, &problems);
  if (!processes.ok()) return moved;
  for (const ProcessFiles& process : *processes) {
    if (process.data.empty()) continue;
    const auto pid = static_cast<pid_t>(process.data[0].header.pid);
    if (kill(pid, 0) == 0 || errno == EPERM) continue;
    const fs::path folder = fs::path(process.data[0].file.path()).parent_path();
    for (const TraceFile& file : process.rings) {
      const fs::path ring = file.file.path();
      std::string name = ring.filename().string();
      if (ring.parent_path() == folder || !name.starts_with("dltap-")) continue;
      const fs::path target = folder / name.substr(6);
      if (Move(ring, target)) moved.push_back(target.string());
    }
  }
  return moved;
}

}  // namespace dltap::analyzer
