// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/run_directory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "shim/specs/launchers.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "host";
}

// What the tap's ExpandOutput puts there: no variable adds a folder.
std::string AsName(std::string value) {
  std::replace(value.begin(), value.end(), '/', '_');
  return value;
}

// As the tap's FindRank.
std::string Rank() {
  for (const specs::Launcher& launcher : specs::kLaunchers) {
    const char* value = std::getenv(launcher.rank);
    if (value != nullptr && *value != '\0') return AsName(value);
  }
  return "0";
}

std::string ValueOf(const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  return value != nullptr ? AsName(value) : "";
}

bool IsInterpreter(const std::string& program) {
  return program.starts_with("python") || program == "bash" || program == "sh";
}

}  // namespace

std::string DefaultRunDirectory(const std::vector<std::string>& command,
                                std::time_t now) {
  std::string name =
      command.empty() ? "program" : fs::path(command[0]).filename().string();
  if (IsInterpreter(name)) {
    for (size_t i = 1; i < command.size(); ++i) {
      if (command[i].starts_with('-')) continue;
      name = fs::path(command[i]).stem().string();
      break;
    }
  }
  for (char& c : name) {
    if (c == '%' || c == '/' || c == ':' || c == ' ') c = '_';
  }
  char time[32];
  std::tm parts = {};
  localtime_r(&now, &parts);
  std::strftime(time, sizeof(time), "%Y%m%d-%H%M%S", &parts);
  return "dltap-" + name + "-" + time;
}

absl::StatusOr<std::string> ExpandOutput(const std::string& pattern) {
  std::string path;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      path += pattern[i];
      continue;
    }
    const char letter = i + 1 < pattern.size() ? pattern[++i] : '\0';
    const size_t close = pattern.find('}', i);
    if (letter == '%') {
      path += '%';
    } else if (letter == 'h') {
      path += HostName();
    } else if (letter == 'p') {
      path += std::to_string(getpid());
    } else if (letter == 'r') {
      path += Rank();
    } else if (letter == 'q' && pattern.compare(i + 1, 1, "{") == 0 &&
               close != std::string::npos) {
      path += ValueOf(pattern.substr(i + 2, close - i - 2));
      i = close;
    } else {
      return absl::InvalidArgumentError(
          "-o " + pattern + ": %h, %p, %r, %q{NAME} and %% are understood");
    }
  }
  return path;
}

bool HoldsTrace(const std::string& directory) {
  std::error_code error;
  fs::directory_iterator it(directory, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    if (it->path().extension() == ".dltap") return true;
  }
  return false;
}

absl::StatusOr<std::string> MakeRunDirectory(const std::string& path,
                                             bool shared) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    return absl::PermissionDeniedError(
        path + ": cannot create it: " + error.message());
  }
  const fs::path absolute = fs::canonical(path, error);
  if (error) return absl::PermissionDeniedError(path + ": " + error.message());
  if (access(absolute.c_str(), W_OK | X_OK) != 0) {
    return absl::PermissionDeniedError(path + ": cannot write into it");
  }
  if (!shared && HoldsTrace(absolute)) {
    return absl::AlreadyExistsError(
        path + ": holds a trace already; name another directory");
  }
  return absolute.string();
}

}  // namespace dltap::analyzer
