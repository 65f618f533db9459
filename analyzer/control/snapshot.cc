// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/snapshot.h"

#include <chrono>
#include <filesystem>
#include <string_view>

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

// Begins the name of a ring file that lies in /dev/shm.
constexpr std::string_view kElsewhere = "dltap-";

bool IsOlder(const fs::path& file, double seconds) {
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
  if (error) return true;
  const std::chrono::duration<double> age =
      fs::file_time_type::clock::now() - written;
  return age.count() > seconds;
}

}  // namespace

absl::StatusOr<uint64_t> CopySnapshot(const std::vector<std::string>& rings,
                                      const std::vector<std::string>& files,
                                      const std::string& target,
                                      double last_s) {
  std::error_code error;
  if (files.empty()) return absl::NotFoundError("there are no data files");
  if (fs::create_directories(fs::path(target).parent_path(), error); error) {
    return absl::UnknownError(target + ": " + error.message());
  }
  if (!fs::create_directory(target, error)) {
    return absl::AlreadyExistsError(
        target + ": " + (error ? error.message() : "is there already") +
        "; name a new one with -o");
  }
  uint64_t bytes = 0;
  for (const std::string& ring : rings) {
    std::string name = fs::path(ring).filename().string();
    if (name.starts_with(kElsewhere)) name = name.substr(kElsewhere.size());
    fs::copy_file(ring, fs::path(target) / name, error);
    if (!error) bytes += fs::file_size(ring, error);
  }
  for (const std::string& file : files) {
    const fs::path from(file);
    if (last_s > 0 && IsOlder(from, last_s)) continue;
    const fs::path to = fs::path(target) / from.filename();
    fs::copy_file(from, to, error);
    if (error == std::errc::no_such_file_or_directory) continue;
    if (error) return absl::UnknownError(to.string() + ": " + error.message());
    bytes += fs::file_size(to, error);
  }
  return bytes;
}

}  // namespace dltap::analyzer
