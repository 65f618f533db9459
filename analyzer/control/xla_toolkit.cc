// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/xla_toolkit.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "analyzer/control/command_files.h"
#include "analyzer/control/python_packages.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCompiler = "bin/ptxas";

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool HoldsToolkit(const fs::path& folder) {
  return Exists(folder / kCompiler) &&
         Exists(folder / "nvvm/libdevice/libdevice.10.bc");
}

bool AnyHolds(const std::vector<fs::path>& folders,
              std::initializer_list<std::string_view> names) {
  return std::any_of(
      folders.begin(), folders.end(), [&](const fs::path& folder) {
        return std::any_of(
            names.begin(), names.end(),
            [&](std::string_view name) { return Exists(folder / name); });
      });
}

// Of the first Python interpreter that the command names.
std::vector<fs::path> PackagesOf(const std::vector<std::string>& command,
                                 const Environment& environment) {
  for (const std::string& word : command) {
    fs::path program = Executable(word, environment);
    if (program.empty()) continue;
    program = InterpreterOf(program, environment);
    if (IsPython(program)) return PackageFolders(program, environment);
  }
  return {};
}

// Where XLA looks by itself.
bool XlaFindsOne(const std::vector<fs::path>& packages,
                 const Environment& environment) {
  return AnyHolds(packages,
                  {"nvidia/cuda_nvcc/bin/ptxas", "nvidia/cu13/bin/ptxas"}) ||
         AnyHolds({"/usr/local/cuda", "/opt/cuda"}, {kCompiler}) ||
         !Executable("ptxas", environment).empty();
}

// What setup.sh wrote for the build tree in which this program lies.
fs::path ToolkitOfBuildTree(const InstallPaths& paths) {
  constexpr std::string_view kName = "_CUDA_ROOT=";  // behind DLTAP
  constexpr size_t kLargest = 1 << 16;
  for (const std::string& line :
       Split(ReadText(paths.ToolchainFile(), kLargest), '\n')) {
    const size_t at = line.find(kName);
    if (at != std::string::npos) return line.substr(at + kName.size());
  }
  return {};
}

// Where setup.sh keeps what it fetches. The newest counts.
fs::path ToolkitOfCache(const Environment& environment) {
  fs::path cache = VariableOf(environment, "DLTAP_TOOLS");
  if (cache.empty()) {
    const std::string home = VariableOf(environment, "HOME");
    if (home.empty()) return {};
    cache = fs::path(home) / ".cache/dltap";
  }
  fs::path newest;
  fs::file_time_type newest_time = fs::file_time_type::min();
  std::error_code error;
  for (fs::directory_iterator it(cache, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code no_time;
    const auto time = it->last_write_time(no_time);
    if (it->path().filename().string().starts_with("cuda-") &&
        HoldsToolkit(it->path()) && time > newest_time) {
      newest = it->path();
      newest_time = time;
    }
  }
  return newest;
}

}  // namespace

std::string FetchedToolkitForXla(const std::vector<std::string>& command,
                                 const InstallPaths& paths,
                                 const Environment& environment) {
  const std::vector<fs::path> packages = PackagesOf(command, environment);
  if (!AnyHolds(packages, {"tensorflow", "jaxlib"}) ||
      XlaFindsOne(packages, environment)) {
    return {};
  }
  const fs::path built = ToolkitOfBuildTree(paths);
  if (HoldsToolkit(built)) return built.string();
  return ToolkitOfCache(environment).string();
}

}  // namespace dltap::analyzer
